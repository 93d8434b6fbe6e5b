/** The queue of review: each draft that was handed in, with what changed, to be published or given back with a note. */
import { PreconditionFailed } from '../../../client/client.ts'
import { modelNamed } from '../../../models/registry.ts'
import { NOTE_CHARS_MAX } from '../../../models/workflow.ts'
import type { ReviewQueue } from '../../../models/responses.ts'
import type { Model } from '../../../models/schema.ts'
import { documentsOf, labelOf, type Documents, type Members } from '../../any-documents.ts'
import { pathOf } from '../../model-titles.ts'
import { actorName } from '../../people.ts'
import { pictureField, shownPicture } from '../../pictures.ts'
import { hrefTo } from '../../screen-url.ts'
import type { OpenScreen, ScreenContext } from '../../screen.ts'
import { t } from '../../texts.ts'
import { fill, h, type Child } from '../../kit/dom.ts'
import { labelled, screenHead } from '../../kit/elements.ts'
import { openFormDialog } from '../../kit/form-dialog.ts'
import { icon } from '../../kit/icons.ts'
import { letteredPicture } from '../../kit/lettered-picture.ts'
import { ago } from '../../kit/moments.ts'
import { notify, notifyFailure } from '../../kit/notices.ts'
import { readInto } from '../../kit/read-into.ts'
import { emptyState, failureState, isAbort, skeleton } from '../../kit/states.ts'
import { workButton } from '../../kit/work-button.ts'
import { differenceOf } from '../editor/version-difference.ts'

type Item = ReviewQueue['items'][number]
type ModelName = Parameters<ScreenContext['client']['data']>[0]

export const reviewScreen: OpenScreen = (context) => {
  const { client, live, signal } = context
  const title = t('review.title')
  const body = h('div', { class: 'part reviews' })
  /** By version: what is open stays open when others come or go. */
  let cards = new Map<string, HTMLElement>()
  let first = ''
  const { load, refresh } = readInto(context, { element: body, lines: 8, read: (options) => client.dashboard.reviews(options), show })
  live.watch(refresh, signal)
  return {
    title,
    element: h('section', {}, screenHead(title), h('p', { class: 'soft' }, t('review.about')), body),
  }

  function show({ items, total }: ReviewQueue): Child {
    cards = new Map(items.map((item) => [item.etag, cards.get(item.etag) ?? h('li', { class: 'card' }, reviewItem(item, context, load))]))
    // What is to be published next is in sight, unless its reader has closed it.
    const [next] = cards
    if (next !== undefined && next[0] !== first) next[1].querySelector('details')?.setAttribute('open', '')
    first = next?.[0] ?? ''
    if (items.length === 0) return emptyState('check', t('review.empty'))
    return [h('p', { class: 'soft', role: 'status' }, t('review.waiting', { count: total })), h('ol', { class: 'part' }, [...cards.values()])]
  }
}

function reviewItem(item: Item, context: ScreenContext, load: () => void): Child {
  const { client, user, signal } = context
  const model = modelNamed(item.model)
  if (model === undefined) return null
  const documents = documentsOf(client, model)
  const changes = h('div', { class: 'history-change' })
  const details = h('details', {}, h('summary', {}, t(item.publishedSeq === null ? 'review.content' : 'review.changes')), changes)
  details.addEventListener('toggle', () => void (details.open && !changes.hasChildNodes() && showChanges()))
  const publish = workButton([icon('publish'), t('turn.active')], () => decide('published'), { class: 'primary' })
  const giveBack = workButton(t('review.return'), () => decide('returned'))
  return [
    h('h2', {}, h('a', { href: hrefTo([pathOf(model), item.id]) }, h('bdi', {}, item.title))),
    h('p', { class: 'soft' }, t('review.by', { name: actorName(item.by, user) }), ' · ', ago(item.handedInAt)),
    item.note !== null && h('blockquote', { dir: 'auto' }, h('p', { class: 'soft' }, t('review.lastNote'), ' · ', ago(item.note.at)), h('p', { class: 'note', dir: 'auto' }, item.note.text)),
    details,
    h('div', { class: 'buttons' }, publish, giveBack),
  ]

  async function showChanges(): Promise<void> {
    fill(changes, skeleton(3))
    try {
      fill(changes, await changesOf(model as Model, documents, item))
    } catch (error) {
      fill(changes, failureState(error, () => void showChanges()))
    }
  }

  /** Of the version that is shown: another one is not published unseen. */
  async function decide(how: 'published' | 'returned'): Promise<void> {
    const calls = client.data(item.model as ModelName & 'headline')
    const options = { ifMatch: item.etag, signal }
    try {
      if (how === 'published') await calls.patch(item.id, { status: 'active' }, options)
      else {
        const note = await askForNote(item.title)
        if (note === undefined) return
        await calls.giveBack(item.id, { note }, options)
      }
      notify(t(`review.${how}`), { kind: 'done' })
    } catch (error) {
      if (isAbort(error)) return
      if (error instanceof PreconditionFailed) notify(t('review.changed'), { kind: 'failed' })
      else notifyFailure(error)
    }
    load()
  }
}

/** Against the last published version; where there is none, the whole. Its picture is above, where the reader sees pictures. */
async function changesOf(model: Model, documents: Documents, { id, etag, publishedSeq }: Item): Promise<Child> {
  const [now, before] = await Promise.all([
    documents.get(id),
    publishedSeq === null ? undefined : documents.version(id, String(publishedSeq)),
  ])
  if (now.etag !== etag) return h('p', { class: 'soft' }, t('review.changed'))
  const url = shownPicture(now.document, pictureField(model) ?? '')
  return [
    url !== undefined && letteredPicture({ kind: 'review-picture', name: labelOf(now.document), url }),
    differenceOf(model, before && contentOf(before.document), contentOf(now.document)),
  ]
}

/** Without what each draft of the queue has of its own. */
function contentOf({ status: _status, handedInAt: _since, ...content }: Members): Members {
  return content
}

/** Asks for the note with which a draft goes back to its author. Undefined where it stays in the queue. */
async function askForNote(title: string): Promise<string | undefined> {
  let given: string | undefined
  const note = h('textarea', { rows: 5, maxlength: NOTE_CHARS_MAX, required: true, autofocus: true, dir: 'auto' })
  const send = (): void => {
    given = note.value.trim() === '' ? undefined : note.value.trim()
    if (given === undefined) note.focus()
    else dialog.close()
  }
  const fields = [h('p', {}, h('bdi', {}, title)), labelled(t('review.note'), note)]
  const dialog = openFormDialog({ title: t('review.return'), confirm: t('review.return'), isChecked: true, fields, send })
  await dialog.closed
  return given
}
