"""The spiders ``feeds``, ``site``, ``records``, ``form`` and ``refresh``; ``loader`` loads each
when a crawl asks for it."""
