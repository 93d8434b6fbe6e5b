"""What each program gets, and how it says what it found."""
import os

URL = os.environ["DATELINE_URL"]
TOKEN = os.environ["DATELINE_TOKEN"]
TITLE = os.environ["DATELINE_TITLE"]
CORRECTED = f"{TITLE}, corrected"
SOURCE, COUNTRY, TOPIC = os.environ["DATELINE_IDS"].split(",")
BODY = {
    "title": TITLE, "excerpt": "", "url": "https://harbour.example/generated", "imageUrl": "",
    "source": {"id": SOURCE}, "eventCountry": {"id": COUNTRY}, "topic": {"id": TOPIC},
}


def same(found, wanted):
    if found != wanted:
        raise AssertionError(f"found {found!r}, wanted {wanted!r}")


def followed(id, changes):
    """Whether the changes since the start are the headline, once, as it is now."""
    same(changes, [(id, CORRECTED, TOPIC)])
