"""Models of datamodel-code-generator, with requests of Python's own."""
import json
import urllib.parse
import urllib.request

from given import BODY, CORRECTED, TITLE, TOKEN, URL, followed, same
from models import ChangePage, Headline, HeadlineBody, Page


def call(method, path, query, body=None):
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    url = f"{URL}/api/v1{path}?{urllib.parse.urlencode(query)}"
    sent = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(url, method=method, data=sent, headers=headers)) as response:
        return json.load(response)["data"]


def changes(since):
    return ChangePage.model_validate(call("GET", "/changes", {"models": "headline", "since": since}))


start = changes("now").next
body = HeadlineBody.model_validate(BODY).model_dump(mode="json", exclude_unset=True)
made = Headline.model_validate(call("POST", "/data", {"model": "headline"}, body))
query = {"model": "headline", "filter": json.dumps({"title": TITLE}), "limit": 5}
page = Page.model_validate(call("GET", "/data", query))
same([(one.id, one.source.name) for one in page.items], [(made.id, made.source.name)])
read = Headline.model_validate(call("GET", f"/data/{made.id}", {"model": "headline"}))
same((read.title, read.type, read.updatedAt), (TITLE, "headline", made.updatedAt))
call("PATCH", f"/data/{made.id}", {"model": "headline"}, {"title": CORRECTED})
followed(made.id, [(one.id, one.document.title, one.document.topic.id) for one in changes(start).items])
