"""Reads feeds by feedparser, and prints what it found in each as one line of JSON."""
import json
import sys

import feedparser


def entry(one):
    return {
        "id": one.get("id"),
        "title": one.get("title"),
        "link": one.get("link"),
        "summary": one.get("summary"),
        "published": list(one.published_parsed)[:6] if one.get("published_parsed") else None,
        "updated": list(one.updated_parsed)[:6] if one.get("updated_parsed") else None,
        "author": one.get("author"),
        "tags": [tag.term for tag in one.get("tags", [])],
        "picture": [picture["url"] for picture in one.get("media_thumbnail", [])],
    }


for path in sys.argv[1:]:
    with open(path, "rb") as file:
        feed = feedparser.parse(file.read(), response_headers={"content-type": "application/xml; charset=utf-8", "content-location": "https://news.example.org/p/news/"})
    found = {
        "well_formed": not feed.bozo,
        "version": feed.version,
        "title": feed.feed.get("title"),
        "subtitle": feed.feed.get("subtitle"),
        "link": feed.feed.get("link"),
        "language": feed.feed.get("language"),
        "rights": feed.feed.get("rights"),
        "entries": [entry(one) for one in feed.entries],
    }
    print(json.dumps(found))
