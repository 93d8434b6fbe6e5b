"""A client of openapi-generator, python."""
import json

import openapi_client
from given import BODY, CORRECTED, TITLE, TOKEN, URL, followed, same

with openapi_client.ApiClient(openapi_client.Configuration(host=URL, access_token=TOKEN)) as client:
    api = openapi_client.DataApi(client)
    start = api.changes(models="headline", since="now").data.next
    made = api.create_headline("headline", openapi_client.HeadlineBody.from_dict(BODY)).data
    page = api.list_headlines("headline", filter=json.dumps({"title": TITLE}), limit=5).data
    same([(one.id, one.source.name) for one in page.items], [(made.id, made.source.name)])
    read = api.read_headline(made.id, "headline").data
    same((read.title, read.type, read.updated_at), (TITLE, "headline", made.updated_at))
    api.patch_headline(made.id, "headline", {"title": CORRECTED})
    changes = api.changes(models="headline", since=start).data
    followed(made.id, [(one.id, one.document.title, one.document.topic.id) for one in changes.items])
