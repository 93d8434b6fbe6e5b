"""A client of openapi-python-client."""
import json

from dateline_client import AuthenticatedClient
from dateline_client.api.data import changes, create_headline, list_headlines, patch_headline, read_headline
from dateline_client.models import (
    ChangesModels, CreateHeadlineModel, HeadlineBody, ListHeadlinesModel, MergePatch, PatchHeadlineModel,
    ReadHeadlineModel,
)
from given import BODY, CORRECTED, TITLE, TOKEN, URL, followed, same

with AuthenticatedClient(base_url=URL, token=TOKEN) as client:
    start = changes.sync(client=client, models=ChangesModels.HEADLINE, since="now").data.next_
    made = create_headline.sync(
        client=client, model=CreateHeadlineModel.HEADLINE, body=HeadlineBody.from_dict(BODY)).data
    page = list_headlines.sync(
        client=client, model=ListHeadlinesModel.HEADLINE, filter_=json.dumps({"title": TITLE}), limit=5).data
    same([(one.id, one.source.name) for one in page.items], [(made.id, made.source.name)])
    read = read_headline.sync(made.id, client=client, model=ReadHeadlineModel.HEADLINE).data
    same((read.title, read.type_, read.updated_at), (TITLE, "headline", made.updated_at))
    patch = MergePatch.from_dict({"title": CORRECTED})
    patch_headline.sync(made.id, client=client, model=PatchHeadlineModel.HEADLINE, body=patch)
    found = changes.sync(client=client, models=ChangesModels.HEADLINE, since=start).data
    followed(made.id, [(one.id, one.document.title, one.document.topic.id) for one in found.items])
