"""The methods of change detection that Oita's thesis compares (section 1.2.2), one module each.

Each is a function of two versions of a page that gives what has changed as a share, 0 to 1.  The
thesis is a survey: what it leaves open is said in the modules.  They are baselines: the add-on
compares texts of articles (``core.changes``).
"""
