"""Tests of docs: every link inside the repository leads somewhere."""

import re

LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)|<img src=\"([^\"]+)\"")


def targets(page) -> list[str]:
    return [one or other for one, other in LINK.findall(page.prose)]


def test_links_and_anchors_resolve(page, root, open_page):
    broken = []
    for target in targets(page):
        if target.startswith(("https://", "mailto:")):
            continue
        path, _, anchor = target.partition("#")
        there = (page.path.parent / path).resolve() if path else page.path
        inside = there.is_relative_to(root) and there.exists()
        if not inside or (anchor and anchor not in open_page(there.relative_to(root)).anchors):
            broken.append(target)
    assert not broken


def test_external_links_are_encrypted(page):
    assert not [target for target in targets(page) if target.startswith("http:")]


def test_every_document_can_be_reached_from_the_readme(root, open_page):
    reached, ahead = set(), [root / "README.md"]
    while ahead:
        path = ahead.pop()
        if path in reached or path.suffix != ".md":
            continue
        reached.add(path)
        page = open_page(path.relative_to(root))
        local = [t.partition("#")[0] for t in targets(page) if "://" not in t]
        ahead += [(path.parent / target).resolve() for target in local if target]
    pages = {*root.glob("docs/*.md"), *root.glob("packages/**/*.md")}
    assert {path.name for path in reached} >= {path.name for path in pages}


def test_the_pages_show_pictures_that_load_fast(root, open_page):
    gallery = sorted(root.glob("docs/images/gallery/*"))
    assert sum(each.stat().st_size for each in gallery) < 1_500_000
    shown = [each for each in sorted(root.glob("docs/images/*")) if each.is_file()]
    assert (len(shown), len(gallery)) == (11, 26)
    pages = [root / "README.md", *root.glob("docs/**/*.md")]
    wanted = {
        (path.parent / target).resolve()
        for path in pages
        for target in targets(open_page(path.relative_to(root)))
    }
    for path in shown + gallery:
        start, most = (b"RIFF", 1_000_000) if path.suffix == ".webp" else (b"\xff\xd8\xff", 300_000)
        assert path.read_bytes().startswith(start)
        assert path.stat().st_size < most
        assert path in wanted


def test_each_document_says_for_whom_it_is(root, open_page):
    """And what its reader has at the end, in its first paragraph."""
    pages = {*root.glob("docs/**/*.md"), *root.glob("packages/*/docs/*.md")}
    pages.remove(root / "docs/README.md")
    firsts = {path.name: open_page(path).text.split("\n\n")[1] for path in pages}
    assert not [n for n, t in firsts.items() if not t.startswith("For ") or "At the end" not in t]
