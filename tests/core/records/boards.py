"""Forums in the markup of five further engines, over the threads of ``forums``.

Written from the markup that the engines send, before the code that reads it: MyBB, NodeBB, Vanilla,
Discourse as browsers show it, and threads of a mailing list as HyperKitty shows them.
"""

from __future__ import annotations

from collections.abc import Sequence

from tests.core.records.forums import (
    Engine,
    MadePost,
    MadeThread,
    html_page,
    quoted_post,
)

__all__ = ["BOARDS"]

_NAMES = "Ana Bo,owl_42,hedgerow,Cy Dee,fisher,Mira,tom.k,Juno99,quayside,Lea H".split(",")


def _number_of(author: str) -> int:
    return _NAMES.index(author) + 3


def _slug(text: str) -> str:
    return text.lower().replace(" ", "-").replace("_", "-").replace(".", "-")


# MyBB


def _mybb_path(thread: MadeThread, number: int) -> str:
    page = f"&page={number}" if number > 1 else ""
    return f"/showthread.php?tid={thread.id}{page}"


def _mybb_link(thread: MadeThread, number: int) -> str:
    return _mybb_path(thread, number).removeprefix("/").replace("&", "&amp;")


def _mybb_user(author: str) -> str:
    number = _number_of(author)
    return f'<a href="member.php?action=profile&amp;uid={number}">{author}</a>'


def _mybb_date(post: MadePost) -> str:
    return post.date.strftime("%m-%d-%Y, %I:%M %p")


def _mybb_frame(title: str, place: str, body: str) -> str:
    return html_page(
        title,
        '<div id="container"><a name="top" id="top"></a><div id="header"><div id="logo">'
        '<div class="wrapper"><a href="index.php"><img src="images/logo.png" alt="Harbour board">'
        '</a><ul class="menu top_links"><li><a href="search.php" class="search">Search</a></li>'
        '<li><a href="memberlist.php" class="memberlist">Member List</a></li></ul></div></div>'
        '<div id="panel"><div class="upper"><div class="wrapper"><span class="welcome">Hello '
        'There, Guest! <a href="member.php?action=login" class="login">Login</a> <a'
        ' href="member.php?action=register" class="register">Register</a></span></div></div></div>'
        '</div><div id="content"><div class="wrapper"><div class="navigation">'
        '<a href="index.php">Harbour board</a> &rsaquo; <a href="forumdisplay.php?fid=2">Tools</a>'
        f'{place}</div><br>{body}</div></div><div id="footer"><div class="upper"><div'
        ' class="wrapper"><ul class="menu bottom_links"><li><a href="showteam.php">Forum Team</a>'
        '</li><li><a href="archive/index.php?thread-1.html">Lite Mode</a></li></ul></div></div>'
        '<div class="lower"><div class="wrapper"><span id="current_time"><strong>Current '
        'time:</strong> 06-12-2024, 09:41 PM</span> <span id="copyright">Powered By MyBB</span>'
        "</div></div></div></div>",
    )


def _mybb_list(threads: Sequence[MadeThread], engine: Engine) -> str:
    rows = []
    for number, thread in enumerate(threads):
        first = thread.posts[0]
        last = thread.posts[-1]
        row = f"trow{number % 2 + 1} forumdisplay_regular"
        pages = ""
        if engine.page_count(thread) > 1:
            links = " ".join(
                f'<a href="{_mybb_link(thread, page)}">{page}</a>'
                for page in range(1, engine.page_count(thread) + 1)
            )
            pages = f' <span class="smalltext">(Pages: {links})</span>'
        rows.append(
            f'<tr class="inline_row"><td align="center" class="{row}" width="2%"><span'
            ' class="thread_status newfolder" title="New posts.">&nbsp;</span></td><td'
            f' class="{row}"><div><span><span class="subject_new" id="tid_{thread.id}"><a'
            f' href="{_mybb_link(thread, 1)}">{thread.title}</a></span>{pages}</span><div'
            f' class="author smalltext">{_mybb_user(first.author)}</div></div></td><td'
            f' align="center" class="{row}"><a href="javascript:MyBB.whoPosted({thread.id});">'
            f'{len(thread.posts) - 1}</a></td><td align="center" class="{row}">'
            f'{len(thread.posts) * 23}</td><td class="{row}" style="white-space: nowrap"><span'
            f' class="lastpost smalltext">{_mybb_date(last)}<br><a'
            f' href="showthread.php?tid={thread.id}&amp;action=lastpost">Last Post</a>: '
            f"{_mybb_user(last.author)}</span></td></tr>"
        )
    return _mybb_frame(
        "Harbour board - Tools",
        "",
        '<table border="0" cellspacing="0" class="tborder clear"><tr><td class="thead"'
        ' colspan="6"><strong>Tools</strong></td></tr><tr><td class="tcat" colspan="2">'
        "<span><strong>Thread</strong> / <strong>Author</strong></span></td><td"
        ' class="tcat"><strong>Replies</strong></td><td class="tcat"><strong>Views</strong></td>'
        f'<td class="tcat"><strong>Last Post</strong></td></tr>{"".join(rows)}</table>',
    )


def _mybb_page(
    thread: MadeThread,
    posts: Sequence[MadePost],
    number: int,
    count: int,
    engine: Engine,
) -> str:
    written = []
    for post in posts:
        quoted = quoted_post(thread, post)
        quote = ""
        if quoted:
            quote = (
                f'<blockquote class="mycode_quote"><cite><span> ({_mybb_date(quoted)})</span>'
                f"{quoted.author} Wrote: "
                f' <a href="{_mybb_link(thread, 1)}&amp;pid={quoted.id}#pid{quoted.id}"'
                f' class="quick_jump"></a></cite>{quoted.text}</blockquote>'
            )
        user = _number_of(post.author)
        written.append(
            f'<a name="pid{post.id}" id="pid{post.id}"></a><div class="post " id="post_{post.id}">'
            '<div class="post_author"><div class="author_avatar"><a'
            f' href="member.php?action=profile&amp;uid={user}"><img'
            ' src="images/default_avatar.png" alt=""></a></div><div class="author_information">'
            f'<strong><span class="largetext">{_mybb_user(post.author)}</span></strong> <img'
            ' src="images/buddy_offline.png" title="Offline" alt="Offline"'
            ' class="buddy_status"><br><span class="smalltext">Junior Member<br><img'
            ' src="images/star.png" alt="*"></span></div><div class="author_statistics">Posts: '
            f"{user * 17}<br>Threads: {user}<br>Joined: {'Jan Feb Mar Apr May'.split()[user % 5]}"
            f' {2012 + user % 9}<br>Reputation: <strong class="reputation_neutral">{user % 3}'
            '</strong></div></div><div class="post_content"><div class="post_head"><div'
            ' class="float_right"><strong><a'
            f' href="{_mybb_link(thread, 1)}&amp;pid={post.id}#pid{post.id}"'
            f' title="{thread.title}">#{post.number}</a></strong></div><span class="post_date">'
            f'{_mybb_date(post)} <span class="post_edit" id="edited_by_{post.id}"></span></span>'
            f'</div><div class="post_body scaleimages" id="pid_{post.id}">{quote}{post.text}</div>'
            f'<div class="post_meta" id="post_meta_{post.id}"></div></div><div'
            ' class="post_controls"><div class="postbit_buttons author_buttons float_left"><a'
            f' href="search.php?action=finduser&amp;uid={user}" title="Find all posts by this'
            ' user" class="postbit_find"><span>Find</span></a></div><div class="postbit_buttons'
            ' post_management_buttons float_right"><a'
            f' href="newreply.php?tid={thread.id}&amp;replyto={post.id}" title="Quote this message'
            ' in a reply" class="postbit_quote"><span>Reply</span></a></div></div></div>'
        )
    pager = ""
    if count > 1:
        links = []
        for page in range(1, count + 1):
            if page == number:
                links.append(f'<span class="pagination_current">{page}</span>')
            else:
                links.append(
                    f'<a href="{_mybb_link(thread, page)}" class="pagination_page">{page}</a>'
                )
        if number < count:
            links.append(
                f'<a href="{_mybb_link(thread, number + 1)}" class="pagination_next">Next &raquo;'
                "</a>"
            )
        pager = (
            f'<div class="pagination"><span class="pages">Pages ({count}):</span> '
            f"{' '.join(links)}</div>"
        )
    return _mybb_frame(
        thread.title,
        f' &rsaquo; <span class="active">{thread.title}</span>',
        f'<div class="float_left">{pager}</div><div class="float_right"><a'
        f' href="newreply.php?tid={thread.id}" class="button new_reply_button"><span>Post Reply'
        '</span></a></div><table border="0" cellspacing="0" class="tborder tfixed clear"><tr><td'
        ' class="thead"><div class="float_right"><span class="smalltext"><strong><a'
        ' href="javascript:void(0);" id="thread_modes">Thread Modes</a></strong></span></div><div>'
        f'<strong>{thread.title}</strong></div></td></tr><tr><td id="posts_container"><div'
        f' id="posts">{"".join(written)}</div></td></tr></table><div class="float_left">{pager}'
        '</div><div class="float_left"><strong>&laquo; <a'
        f' href="showthread.php?tid={thread.id}&amp;action=nextoldest">Next Oldest</a> | <a'
        f' href="showthread.php?tid={thread.id}&amp;action=nextnewest">Next Newest</a> &raquo;'
        '</strong></div><div class="float_right"><a'
        f' href="printthread.php?tid={thread.id}">View a Printable Version</a></div>',
    )


# NodeBB


def _nodebb_path(thread: MadeThread, number: int) -> str:
    page = f"?page={number}" if number > 1 else ""
    return f"/topic/{thread.id}/{_slug(thread.title)}{page}"


def _nodebb_stamp(post: MadePost) -> str:
    return post.date.strftime("%Y-%m-%dT%H:%M:%S.000Z")


def _nodebb_frame(title: str, body: str) -> str:
    return html_page(
        f"{title} | Harbour Community",
        '<nav id="menu" class="slideout-menu hidden"></nav><main id="panel"'
        ' class="slideout-panel"><nav class="navbar navbar-default" id="header-menu"'
        ' component="navbar"><ul id="main-nav" class="nav navbar-nav"><li><a'
        ' href="/categories"><span>Categories</span></a></li><li><a href="/recent"><span>Recent'
        '</span></a></li><li><a href="/tags"><span>Tags</span></a></li></ul><ul'
        ' id="logged-out-menu"><li><a href="/register"><span>Register</span></a></li><li><a'
        ' href="/login"><span>Login</span></a></li></ul></nav><div class="container" id="content">'
        '<ol class="breadcrumb" itemscope><li itemprop="itemListElement"><a href="/"'
        ' itemprop="item"><span itemprop="name">Home</span></a></li><li><a href="/category/4/tools"'
        f' itemprop="item"><span itemprop="name">Tools</span></a></li></ol>{body}</div></main>',
    )


def _nodebb_list(threads: Sequence[MadeThread], engine: Engine) -> str:
    rows = []
    for thread in threads:
        first = thread.posts[0]
        last = thread.posts[-1]
        path = engine.thread_path(thread, 1)
        rows.append(
            f'<li component="category/topic" class="row clearfix category-item"'
            f' data-tid="{thread.id}" data-cid="4"><div class="col-md-6 content"><div'
            f' class="avatar pull-left"><a href="/user/{_slug(first.author)}"><span'
            f' class="avatar" title="{first.author}">{first.author[0]}</span></a></div><h2'
            f' component="topic/header" class="title"><a href="{path}">{thread.title}</a><br>'
            f'<small class="hidden-xs"><span class="timeago" title="{_nodebb_stamp(first)}"></span>'
            f' &bull; <a href="/user/{_slug(first.author)}">{first.author}</a></small></h2></div>'
            '<div class="col-md-1 stats stats-votes"><span class="human-readable-number">0</span>'
            '<br><small>Votes</small></div><div class="col-md-1 stats stats-postcount"><span'
            f' class="human-readable-number">{len(thread.posts)}</span><br><small>Posts</small>'
            '</div><div class="col-md-1 stats stats-viewcount"><span'
            f' class="human-readable-number">{len(thread.posts) * 19}</span><br><small>Views'
            '</small></div><div class="col-md-3 teaser"><div class="card"><p><a'
            f' href="/user/{_slug(last.author)}"><span class="avatar" title="{last.author}">'
            f'{last.author[0]}</span></a><a class="permalink" href="{path}/{len(thread.posts)}">'
            f'<span class="timeago" title="{_nodebb_stamp(last)}"></span></a></p><div'
            f' class="post-content"><p>{last.text}</p></div></div></div></li>'
        )
    return _nodebb_frame(
        "Tools",
        '<div class="category"><h1>Tools</h1><ul component="category" class="topics-list"'
        f' data-nextstart="20">{"".join(rows)}</ul></div>',
    )


def _nodebb_page(
    thread: MadeThread,
    posts: Sequence[MadePost],
    number: int,
    count: int,
    engine: Engine,
) -> str:
    written = []
    for post in posts:
        quoted = quoted_post(thread, post)
        quote = ""
        parent = ""
        if quoted and post.number % 2:
            quote = (
                '<blockquote><p dir="auto"><a class="plugin-mentions-user"'
                f' href="/user/{_slug(quoted.author)}">@{quoted.author}</a> said in <a'
                f' href="/post/{quoted.id}">{thread.title}</a>:</p><p dir="auto">{quoted.text}</p>'
                "</blockquote>"
            )
        if quoted:
            parent = (
                f'<a component="post/parent" class="btn btn-xs btn-default hidden-xs"'
                f' data-topid="{quoted.id}" href="/post/{quoted.id}"><i class="icon fa'
                f' fa-reply"></i> @{quoted.author}</a>'
            )
        stamp = _nodebb_stamp(post)
        slug = _slug(post.author)
        user = _number_of(post.author)
        written.append(
            f'<li component="post" class="" data-index="{post.number - 1}" data-pid="{post.id}"'
            f' data-uid="{user}" data-timestamp="{int(post.date.timestamp()) * 1000}"'
            f' data-username="{post.author}" data-userslug="{slug}" itemprop="comment" itemscope'
            f' itemtype="http://schema.org/Comment"><a component="post/anchor"'
            f' data-index="{post.number - 1}" id="{post.number}"></a><meta'
            f' itemprop="datePublished" content="{stamp}"><meta itemprop="dateModified"'
            f' content=""><div class="clearfix post-header"><div class="icon pull-left"><a'
            f' href="/user/{slug}"><span class="avatar" title="{post.author}"'
            f' component="user/picture">{post.author[0]}</span></a></div><small'
            f' class="pull-left"><strong><a href="/user/{slug}" itemprop="author"'
            f' data-username="{post.author}" data-uid="{user}">{post.author}</a></strong>'
            f' {parent}</small><small class="pull-right"><a class="permalink"'
            f' href="/post/{post.id}"><span class="timeago" title="{stamp}"></span></a></small>'
            f'</div><div class="content" component="post/content" itemprop="text">{quote}<p'
            f' dir="auto">{post.text}</p></div><div class="clearfix post-footer"><small'
            ' class="pull-right"><span class="post-tools"><a component="post/reply" href="#">Reply'
            '</a> <a component="post/quote" href="#">Quote</a></span><span class="votes"><a'
            f' component="post/upvote" href="#"></a><span component="post/vote-count">'
            f"{post.id % 4}</span></span></small></div></li>"
        )
    pager = ""
    if count > 1:
        links = "".join(
            f'<li class="page{" active" if page == number else ""}"><a'
            f' href="{engine.thread_path(thread, page)}" data-page="{page}">{page}</a></li>'
            for page in range(1, count + 1)
        )
        pager = (
            '<div component="pagination" class="text-center"><ul class="pagination">'
            f"{links}</ul></div>"
        )
    return _nodebb_frame(
        thread.title,
        '<div class="row"><div class="topic col-lg-12"><h1 component="post/header"><span'
        f' class="topic-title" component="topic/title">{thread.title}</span></h1><div'
        f' class="topic-info"><span class="stats">{len(thread.posts)} Posts</span></div><ul'
        f' component="topic" class="posts" data-tid="{thread.id}" data-cid="4">{"".join(written)}'
        f"</ul>{pager}</div></div>",
    )


# Vanilla


def _vanilla_path(thread: MadeThread, number: int) -> str:
    page = f"/p{number}" if number > 1 else ""
    return f"/discussion/{thread.id}/{_slug(thread.title)}{page}"


def _vanilla_time(post: MadePost) -> str:
    shown = post.date.strftime("%B %Y")
    full = post.date.strftime("%B %d, %Y %I:%M%p")
    return f'<time title="{full}" datetime="{post.date.isoformat()}">{shown}</time>'


def _vanilla_user(author: str) -> str:
    path = f"/profile/{author.replace(' ', '%20')}"
    return f'<a href="{path}" class="Username">{author}</a>'


def _vanilla_author(author: str) -> str:
    path = f"/profile/{author.replace(' ', '%20')}"
    return (
        f'<span class="Author"><a title="{author}" href="{path}" class="PhotoWrap"><img'
        f' src="/photos/{_slug(author)}.png" alt="{author}" class="ProfilePhoto'
        f' ProfilePhotoMedium"></a>{_vanilla_user(author)}</span><span class="AuthorInfo"><span'
        f' class="MItem RoleTitle">Member</span> <span class="MItem PostCount">Posts: <b>'
        f"{_number_of(author) * 11}</b></span></span>"
    )


def _vanilla_frame(title: str, body: str) -> str:
    return html_page(
        f"{title} — Harbour Community",
        '<div id="Frame"><div id="Head"><div class="Row"><strong class="SiteTitle"><a href="/">'
        'Harbour Community</a></strong><ul class="SiteMenu"><li><a href="/discussions">Discussions'
        '</a></li><li><a href="/activity">Activity</a></li><li><a href="/entry/signin">Sign In'
        '</a></li></ul></div></div><div id="Body"><div class="Row"><div'
        ' class="BreadcrumbsWrapper"><span class="Breadcrumbs"><a href="/">Home</a>&rsaquo; <a'
        ' href="/categories/tools">Tools</a></span></div><div class="Column PanelColumn"'
        ' id="Panel"><div class="MeBox MeBox-SignIn"><p>It looks like you\'re new here. If you'
        ' want to get involved, click one of these buttons!</p></div><div class="Box'
        ' BoxCategories"><h4>Categories</h4><ul><li><a href="/categories/tools">Tools</a></li><li>'
        f'<a href="/categories/boats">Boats</a></li></ul></div></div><div class="Column'
        f' ContentColumn" id="Content">{body}</div></div></div><div id="Foot"><div'
        ' class="Row"><a href="https://vanilla.example">Powered by Vanilla</a></div></div></div>',
    )


def _vanilla_list(threads: Sequence[MadeThread], engine: Engine) -> str:
    rows = []
    for thread in threads:
        first = thread.posts[0]
        last = thread.posts[-1]
        path = engine.thread_path(thread, 1)
        rows.append(
            f'<li id="Discussion_{thread.id}" class="Item ItemDiscussion"><div'
            f' class="ItemContent Discussion"><div class="Title"><a href="{path}">{thread.title}'
            '</a></div><div class="Meta Meta-Discussion"><span class="MItem MCount ViewCount">'
            f'{len(thread.posts) * 51} views</span> <span class="MItem MCount CommentCount">'
            f'{len(thread.posts) - 1} comments</span> <span class="MItem DiscussionAuthor">Started'
            f' by {_vanilla_user(first.author)}</span> <span class="MItem LastCommentBy">Most'
            f' recent by {_vanilla_user(last.author)}</span> <span class="MItem LastCommentDate">'
            f'{_vanilla_time(last)}</span><span class="MItem Category"><a'
            ' href="/categories/tools">Tools</a></span></div></div></li>'
        )
    return _vanilla_frame(
        "Tools",
        '<h1 class="H HomepageTitle">Tools</h1><div class="PageDescription">All about tools'
        f'</div><ul class="DataList Discussions">{"".join(rows)}</ul>',
    )


def _vanilla_page(
    thread: MadeThread,
    posts: Sequence[MadePost],
    number: int,
    count: int,
    engine: Engine,
) -> str:
    lead = ""
    comments = []
    for post in posts:
        quoted = quoted_post(thread, post)
        quote = ""
        if quoted:
            quote = (
                '<blockquote class="Quote UserQuote"><div class="QuoteAuthor"><a'
                f' href="/profile/{quoted.author.replace(" ", "%20")}" rel="nofollow">'
                f'{quoted.author}</a> said:</div><div class="QuoteText"><p>{quoted.text}</p></div>'
                "</blockquote>"
            )
        message = f'<div class="Message userContent">{quote}<p>{post.text}</p></div>'
        if post.number == 1:
            lead = (
                f'<div id="Discussion_{thread.id}" class="Item ItemDiscussion"><div'
                ' class="Discussion"><div class="Item-Header DiscussionHeader"><div'
                f' class="AuthorWrap">{_vanilla_author(post.author)}</div><div class="Meta'
                ' DiscussionMeta"><span class="MItem DateCreated"><a'
                f' href="{engine.thread_path(thread, 1)}" class="Permalink" rel="nofollow">'
                f'{_vanilla_time(post)}</a></span> <span class="MItem Category"> in <a'
                ' href="/categories/tools">Tools</a></span></div></div><div'
                f' class="Item-BodyWrap"><div class="Item-Body">{message}<div'
                ' class="Reactions"></div></div></div></div></div>'
            )
            continue
        comments.append(
            f'<li class="Item ItemComment" id="Comment_{post.id}"><div class="Comment"><div'
            f' class="Item-Header CommentHeader"><div class="AuthorWrap">'
            f'{_vanilla_author(post.author)}</div><div class="Meta CommentMeta CommentInfo"><span'
            f' class="MItem DateCreated"><a'
            f' href="/discussion/comment/{post.id}/#Comment_{post.id}" class="Permalink"'
            f' name="Item_{post.number - 1}" rel="nofollow">{_vanilla_time(post)}</a></span></div>'
            f'</div><div class="Item-BodyWrap"><div class="Item-Body">{message}<div'
            ' class="Reactions"></div></div></div></div></li>'
        )
    pager = ""
    if count > 1:
        links = []
        for page in range(1, count + 1):
            name = "Highlight" if page == number else ""
            links.append(
                f'<a href="{engine.thread_path(thread, page)}" class="{name} Pager-p p-{page}">'
                f"{page}</a>"
            )
        if number < count:
            links.append(f'<a href="{engine.thread_path(thread, number + 1)}" class="Next">»</a>')
        pager = f'<div id="PagerAfter" class="Pager NumberedPager">{"".join(links)}</div>'
    return _vanilla_frame(
        thread.title,
        '<div class="MessageList Discussion"><div class="PageTitle"><h1>'
        f'{thread.title}</h1></div>{lead}</div><div class="CommentsWrap"><span'
        f' class="BeforeCommentHeading">{pager}</span><div class="DataBox DataBox-Comments"><h2'
        f' class="CommentHeading">Comments</h2><ul class="MessageList DataList Comments">'
        f'{"".join(comments)}</ul></div><div class="P PagerWrap">{pager}</div></div><div'
        ' class="Foot Closed"><div class="Note Closed SignInOrRegister"><a'
        ' href="/entry/signin">Sign In</a> or <a href="/entry/register">Register</a> to comment.'
        "</div></div>",
    )


# Discourse as browsers show it


def _ember_path(thread: MadeThread, number: int) -> str:
    page = f"?page={number}" if number > 1 else ""
    return f"/t/{_slug(thread.title)}/{thread.id}{page}"


def _ember_date(post: MadePost) -> str:
    local = post.date
    full = local.strftime("%b %-d, %Y %-I:%M %p").replace("AM", "am").replace("PM", "pm")
    return (
        f'<span title="{full}" data-time="{int(post.date.timestamp()) * 1000}"'
        f' data-format="tiny" class="relative-date">{local.strftime("%b %-d")}</span>'
    )


def _ember_frame(title: str, body: str) -> str:
    return html_page(
        f"{title} - Tools - Harbour Talk",
        '<section id="main" class="ember-application"><div id="ember3" class="ember-view"><header'
        ' class="d-header"><div class="wrap"><div class="contents"><div class="title"><a href="/"'
        ' data-auto-route="true"><h1 id="site-text-logo" class="text-logo">Harbour Talk</h1></a>'
        '</div><div class="panel"><span class="header-buttons"><button class="btn login-button">'
        '<span class="d-button-label">Log In</span></button></span></div></div></div></header><div'
        f' id="main-outlet" class="wrap">{body}</div></div></section>',
    )


def _ember_list(threads: Sequence[MadeThread], engine: Engine) -> str:
    rows = []
    for thread in threads:
        first = thread.posts[0]
        last = thread.posts[-1]
        path = engine.thread_path(thread, 1)
        rows.append(
            f'<tr data-topic-id="{thread.id}" class="topic-list-item category-tools ember-view"><td'
            ' class="main-link clearfix" colspan="1"><span class="link-top-line"><a'
            f' href="{path}" class="title raw-link raw-topic-link"><span dir="auto">{thread.title}'
            '</span></a></span><div class="link-bottom-line"><a class="badge-wrapper bullet"'
            ' href="/c/tools/4"><span class="badge-category">Tools</span></a></div></td><td'
            f' class="posters"><a href="/u/{first.author}" data-user-card="{first.author}"><img'
            f' alt="" width="25" height="25" src="/avatar/{_number_of(first.author)}.png"'
            f' class="avatar" title="{first.author} - Original Poster"></a><a'
            f' href="/u/{last.author}" data-user-card="{last.author}" class="latest"><img alt=""'
            f' width="25" height="25" src="/avatar/{_number_of(last.author)}.png" class="avatar"'
            f' title="{last.author} - Most Recent Poster"></a></td><td class="num posts-map'
            f' posts"><button class="btn-link posts-map badge-posts"><span class="number">'
            f'{len(thread.posts) - 1}</span></button></td><td class="num views"><span'
            f' class="number">{len(thread.posts) * 27}</span></td><td class="activity num"'
            f' title="Created: {first.date.strftime("%b %-d, %Y")}"><a'
            f' href="{path}/{len(thread.posts)}" class="post-activity">{_ember_date(last)}</a>'
            "</td></tr>"
        )
    return _ember_frame(
        "Latest topics",
        '<section class="category-heading"></section><table class="topic-list ember-view"><thead>'
        '<tr><th class="default"><span>Topic</span></th><th class="posters"></th><th class="posts'
        ' num">Replies</th><th class="views num">Views</th><th class="activity num">Activity</th>'
        f"</tr></thead><tbody>{''.join(rows)}</tbody></table>",
    )


def _ember_page(
    thread: MadeThread,
    posts: Sequence[MadePost],
    number: int,
    count: int,
    engine: Engine,
) -> str:
    written = []
    for post in posts:
        quoted = quoted_post(thread, post)
        quote = ""
        if quoted:
            quote = (
                f'<aside class="quote no-group" data-username="{quoted.author}"'
                f' data-post="{quoted.number}" data-topic="{thread.id}"><div class="title"><div'
                ' class="quote-controls"><button class="btn-flat"></button></div><img'
                f' loading="lazy" alt="" width="24" height="24"'
                f' src="/avatar/{_number_of(quoted.author)}.png" class="avatar">'
                f" {quoted.author}:</div><blockquote><p>{quoted.text}</p></blockquote></aside>"
            )
        path = f"{engine.thread_path(thread, 1)}/{post.number}"
        user = post.author
        written.append(
            f'<div class="topic-post clearfix regular"><article id="post_{post.number}"'
            f' aria-label="post #{post.number} by @{user}" role="region"'
            f' data-post-id="{post.id}" data-topic-id="{thread.id}" data-user-id="'
            f'{_number_of(user)}" class="boxed onscreen-post"><div class="post__row row"><div'
            f' class="topic-avatar"><div class="post-avatar"><a class="trigger-user-card'
            f' main-avatar" href="/u/{user}" data-user-card="{user}" aria-hidden="true"><img'
            f' alt="" width="48" height="48" src="/avatar/{_number_of(user)}.png" title="{user}"'
            f' class="avatar"></a></div></div><div class="topic-body clearfix"><div'
            f' role="heading" aria-level="2" class="topic-meta-data"><div'
            f' class="names trigger-user-card"><span class="first username"><a href="/u/{user}"'
            f' data-user-card="{user}">{user}</a></span></div><div class="post-infos"><div'
            f' class="post-info post-date"><a href="{path}" class="post-date" title="Post date">'
            f'{_ember_date(post)}</a></div></div></div><div class="regular contents"><div'
            f' class="cooked">{quote}<p>{post.text}</p></div><section class="post-menu-area'
            ' clearfix"><nav class="post-controls"><div class="actions"><button class="btn'
            f' toggle-like" title="like this post">{post.id % 3 or ""}</button><button class="btn'
            ' share" title="share a link to this post"></button><button class="btn reply create">'
            '<span class="d-button-label">Reply</span></button></div></nav></section></div></div>'
            "</div></article></div>"
        )
    links = []
    if number > 1:
        path = engine.thread_path(thread, number - 1)
        links.append(f'<a rel="prev" href="{path}">← previous page</a>')
    if number < count:
        path = engine.thread_path(thread, number + 1)
        links.append(f'<a rel="next" href="{path}">next page →</a>')
    return _ember_frame(
        thread.title,
        '<div id="topic-title"><div class="container"><div class="title-wrapper"><h1'
        f' data-topic-id="{thread.id}"><a href="{engine.thread_path(thread, 1)}"'
        f' class="fancy-title"><span dir="auto">{thread.title}</span></a></h1><div'
        ' class="topic-category"><a class="badge-wrapper" href="/c/tools/4"><span'
        ' class="badge-category">Tools</span></a></div></div></div></div><section'
        f' class="topic-area" id="topic" data-topic-id="{thread.id}"><div class="posts-wrapper">'
        f'<div class="post-stream">{"".join(written)}</div></div><div class="topic-map"><span>'
        f'created</span> {_ember_date(thread.posts[0])}</div></section><div role="navigation"'
        f' class="topic-body crawler-post">{" ".join(links)}</div>',
    )


# HyperKitty


def _archive_path(thread: MadeThread, number: int) -> str:
    return f"/archives/list/tools@harbour.example/thread/{thread.id * 7919:032X}/"


def _archive_frame(title: str, body: str) -> str:
    return html_page(
        f"{title} - tools - harbour.example",
        '<nav class="navbar fixed-top navbar-default bg-light"><div class="container"><a'
        ' class="navbar-brand" href="/archives/">Harbour lists</a><form name="search"><input'
        ' type="text" name="q"></form><ul class="nav navbar-nav"><li><a'
        ' href="/accounts/login/">Sign In</a></li><li><a href="/accounts/signup/">Sign Up</a></li>'
        '<li><a href="/postorius/lists/tools.harbour.example/">Manage this list</a></li></ul>'
        f'</div></nav><div class="container">{body}</div><footer class="footer"><div'
        ' class="container"><p class="text-muted"><img src="/static/logo.png" alt="HyperKitty">'
        " Powered by HyperKitty version 1.3.8.</p></div></footer>",
    )


def _archive_user(author: str) -> str:
    return (
        f'<a href="/archives/users/{_number_of(author) * 104729:032x}/" title="See the profile'
        f' for {author}" class="name">{author}</a>'
    )


def _archive_list(threads: Sequence[MadeThread], engine: Engine) -> str:
    rows = []
    for thread in threads:
        first = thread.posts[0]
        last = thread.posts[-1]
        people = len({post.author for post in thread.posts})
        shown = last.date.strftime("%d %b '%y")
        rows.append(
            '<div class="thread"><div class="thread-info"><div class="thread-title"><a'
            f' name="{thread.id}" href="{engine.thread_path(thread, 1)}">{thread.title}</a></div>'
            f'<div class="thread-stats"><span class="thread-author">by {first.author}</span> <span'
            f' class="thread-date" title="{last.date.strftime("%A, %-d %B %Y %H:%M:%S")}">'
            f'{shown}</span></div></div><div class="thread-counts">'
            f'<span class="participants">{people} participants</span> <span class="comments">'
            f"{len(thread.posts) - 1} comments</span></div></div>"
        )
    return _archive_frame(
        "March 2024",
        '<div class="page-header"><h2>March 2024 <small>tools@harbour.example</small></h2><ul'
        f' class="list-stats"><li>{len(threads)} discussions</li></ul></div><div'
        f' class="thread-list">{"".join(rows)}</div>',
    )


def archive_parent(post: MadePost) -> int | None:
    """A mail replies to the first one if to no other: its depth in the archive is never 0."""
    if post.number == 1:
        return None
    return post.parent or 1


def _archive_page(
    thread: MadeThread,
    posts: Sequence[MadePost],
    number: int,
    count: int,
    engine: Engine,
) -> str:
    mails = []
    for post in posts:
        parent = archive_parent(post)
        quote = ""
        if parent and post.number % 2:
            quoted = thread.posts[parent - 1]
            date = quoted.date.strftime("%a, %-d %b %Y at %H:%M")
            quote = (
                f"<p>On {date}, {quoted.author} wrote:</p>"
                '<div class="quoted-switch"><a style="font-weight:normal" href="#">...</a></div>'
                f'<div class="quoted-text quoted-text-0"><p>{quoted.text}</p></div>'
            )
        depth = post.depth + 1 if parent else 0
        half = post.date.strftime("%-I:%M %p").replace("AM", "a.m.").replace("PM", "p.m.")
        mail = (
            f'<div class="email{" email-first" if not parent else ""}"><div'
            f' id="{post.id * 6151:032X}" class="email-header"><div class="gravatar-wrapper'
            f' d-flex"><div class="gravatar"><img src="/gravatar/{_number_of(post.author)}.png"'
            f' alt=""></div><div class="email-author">{_archive_user(post.author)}</div></div><div'
            f' class="time"><div class="email-date"><span title="Sender\'s time:'
            f' {post.date.strftime("%B %-d, %Y, %H:%M")}">{post.date.strftime("%-d %b %Y")}</span>'
            f'</div><div class="email-time">{half}</div></div><div class="thread-list-options"><a'
            f' class="permalink" href="/archives/list/tools@harbour.example/message/'
            f'{post.id * 6151:032X}/" title="Permalink">Permalink</a></div></div><div'
            f' class="email-body">{quote}<p>{post.text}</p></div><div class="email-info"><a'
            ' class="youlike vote disabled" title="You must be logged-in to vote."'
            f' href="#like">{post.id % 3}</a> <a class="reply" href="/accounts/login/">Reply</a>'
            "</div></div>"
        )
        if parent:
            parity = "even" if post.number % 2 else "odd"
            style = f"margin-left:{depth * 12}px"
            mail = f'<div class="{parity} depth-{depth}" style="{style}">{mail}</div>'
        mails.append(mail)
    first, *others = mails
    return _archive_frame(
        thread.title,
        '<div class="row"><div id="thread-overview-info"><a'
        ' href="/archives/list/tools@harbour.example/">List overview</a></div><div'
        f' id="thread-content"><div class="page-header"><h3>{thread.title}</h3></div>{first}<div'
        f' class="replies">{"".join(others)}</div></div><div class="col-tools"><div'
        f' class="participants-list"><div>{len(thread.posts) - 1} comments</div><div>'
        f"{len({post.author for post in posts})} participants</div></div></div></div>",
    )


BOARDS = (
    Engine("MyBB", "/forumdisplay.php?fid=2", _mybb_path, _mybb_list, _mybb_page),
    Engine("NodeBB", "/category/4/tools", _nodebb_path, _nodebb_list, _nodebb_page),
    Engine("Vanilla", "/categories/tools", _vanilla_path, _vanilla_list, _vanilla_page),
    Engine("Discourse in a browser", "/c/tools/4", _ember_path, _ember_list, _ember_page),
    Engine(
        "HyperKitty",
        "/archives/list/tools@harbour.example/2024/3/",
        _archive_path,
        _archive_list,
        _archive_page,
        threaded=True,
        posts_per_page=100,
    ),
)
