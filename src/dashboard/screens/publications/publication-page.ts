/** One publication, or a new one: its form beside what readers would get, its address, and a new secret one. */
import { publication } from '../../../models/publication-model.ts'
import type { PublicationPreview } from '../../../models/responses.ts'
import { documentsOf, type Members, type StoredDocument } from '../../any-documents.ts'
import { fieldTitle, modelsTitle } from '../../model-titles.ts'
import { problemOf } from '../../problem-text.ts'
import { removeWithUndo } from '../../removal.ts'
import type { Screen, ScreenContext } from '../../screen.ts'
import { goTo, hrefTo, PUBLICATIONS } from '../../screen-url.ts'
import { currentLanguage, t, textOr } from '../../texts.ts'
import { debouncedRequest } from '../../timing.ts'
import { ask, askToLeave } from '../../kit/dialog.ts'
import { fill, h, type Child } from '../../kit/dom.ts'
import { card, crumb, problemLine } from '../../kit/elements.ts'
import { icon } from '../../kit/icons.ts'
import { notifyFailure } from '../../kit/notices.ts'
import { readInto } from '../../kit/read-into.ts'
import { saveButton, type SaveButton } from '../../kit/save-button.ts'
import { errorText, isAbort } from '../../kit/states.ts'
import { workButton } from '../../kit/work-button.ts'
import { inputControl } from '../../kit/form/control.ts'
import { formFor } from '../../kit/form/form.ts'
import { tickList } from '../../kit/form/tick-list.ts'
import { ago } from '../../kit/moments.ts'
import { storyLine } from '../../kit/story-line.ts'
import { addressLine, showNewSecret } from './publication-address.ts'

const PREVIEW_MS = 400
const NEW: Members = {
  ...{ name: '', title: '', description: '', filter: '{}', sort: 'publishedAt:desc', pageSize: 30, members: ['excerpt', 'source', 'topic'] },
  ...{ visibility: 'public', isPaused: false, contact: '', rights: '' },
}
/** The preview shows neither, so it does not wait until they are filled in well. */
const NOT_PREVIEWED: Members = { name: 'new', title: '–' }

/** `id` is undefined for a new one. */
export function publicationPage(context: ScreenContext, id: string | undefined): Screen {
  const { client, signal } = context
  const documents = documentsOf(client, publication)
  const title = id === undefined ? t('publications.new') : t('model.publication')
  const heading = h('h1', { dir: 'auto' }, title)
  const [tools, body] = [h('div', { class: 'buttons' }), h('div')]
  let save: SaveButton | undefined

  if (id === undefined) fill(body, editor({ ...NEW, language: currentLanguage() }, undefined))
  else {
    readInto(context, {
      element: body,
      lines: [8, 3],
      read: (options) => documents.get(id, options),
      show: ({ document, etag }) => editor(document, etag),
    })
  }

  function editor(given: Members, etag: string | undefined): Child {
    let { name } = given
    if (id !== undefined) fill(heading, String(given['title']))
    const [problem, preview, addresses] = [problemLine(), h('div'), h('div')]
    const form = formFor(publication.fields, given, {
      onChange() {
        save?.changed()
        look()
      },
      picker: () => {
        throw new Error('A publication has no copies')
      },
      about: (path) => textOr(`about.publication.${path}`, '') || undefined,
      instead(path, field, options) {
        if (path === 'members' && field.kind === 'list' && field.of.kind === 'choice') return tickList(options, field.of.values, fieldTitle)
        if (path !== 'filter') return undefined
        const input = h('textarea', { rows: 4, class: 'mono', dir: 'ltr', spellcheck: 'false' })
        return inputControl(options, { input, read: ({ value }) => value, write: (at, value) => (at.value = typeof value === 'string' ? value : '') })
      },
    })
    const addressed =
      id === undefined
        ? undefined
        : readInto(context, {
            element: addresses,
            lines: 3,
            read: (options) => client.admin.publications(options),
            show: ({ items }) => addressCard(id, String(name), items.find((one) => one.id === id)?.address ?? null),
          })
    const look = debouncedRequest(PREVIEW_MS, signal, async (mine) => {
      try {
        const found = await client.admin.previewPublication({ publication: { ...form.value(), ...NOT_PREVIEWED } }, { signal: mine })
        if (!mine.aborted) fill(preview, previewStories(found))
      } catch (error) {
        if (!isAbort(error)) fill(preview, h('p', { class: 'soft', dir: 'auto' }, errorText(error)))
      }
    })
    save = saveButton({ documents, id, etag, body: members, onStored, tell, signal })
    const remove = workButton([icon('trash'), h('span', {}, t('delete'))], removed, { class: 'plain' })
    fill(tools, id !== undefined && remove, save.element)
    look.now()

    function members(): Members {
      form.showProblems([])
      fill(problem)
      return form.value()
    }

    function onStored(stored: StoredDocument): void {
      if (id === undefined) return void madeNew(stored).catch(notifyFailure)
      fill(heading, String(stored['title']))
      // It follows from what is stored.
      name = stored['name']
      addressed?.load()
    }

    function tell(error: unknown): void {
      if (problemOf(error) === undefined) notifyFailure(error)
      else fill(problem, form.showFailure(error))
    }

    return h(
      'div',
      { class: 'feed-columns' },
      h('div', { class: 'part feed-editor' }, card(h('h2', {}, t('operations.settings')), form.element, problem), id !== undefined && addresses),
      h('section', { class: 'card preview' }, h('h2', {}, t('publications.preview')), preview),
    )
  }

  /** One that is not for all needs an address first. */
  async function madeNew(document: StoredDocument): Promise<void> {
    goTo(hrefTo([PUBLICATIONS, document.id]))
    if (document['visibility'] === 'secret') await showNewSecret(context, document.id)
  }

  function addressCard(of: string, name: string, address: string | null): HTMLElement {
    const make = workButton(t('publications.newSecret'), newSecret)
    return card(
      h('h2', {}, t('publications.address')),
      h('p', {}, addressLine(address ?? `/p/${name}/…`, address !== null)),
      h('p', { class: 'soft about' }, t(address === null ? 'publications.secretAbout' : 'publications.feeds')),
      address === null && h('div', { class: 'buttons' }, make),
    )

    async function newSecret(): Promise<void> {
      const isSure = await ask({ title: t('publications.secretTitle'), text: t('publications.secretEnds'), confirm: t('publications.newSecret'), isDangerous: true })
      if (isSure) await showNewSecret(context, of)
    }
  }

  async function removed(): Promise<void> {
    if (id === undefined) return
    const name = heading.textContent
    if (!(await ask({ title: t('publications.removeTitle', { title: name }), text: t('publications.removeText'), confirm: t('delete'), isDangerous: true }))) return
    save?.giveUp()
    void removeWithUndo({ client, model: publication, ids: [id], notice: () => t('feeds.removed', { title: name }) })
    goTo(hrefTo([PUBLICATIONS]))
  }

  return {
    title,
    element: h(
      'section',
      { class: 'feeds' },
      crumb(hrefTo([PUBLICATIONS]), modelsTitle(publication)),
      h('div', { class: 'screen-head staying' }, heading, tools),
      body,
    ),
    hasUnsaved: () => save?.hasUnsaved() === true,
    mayLeave: askToLeave,
    save: () => save?.save(),
  }
}

type Story = PublicationPreview['stories'][number]

function previewStories({ stories, hasMore }: PublicationPreview): Child {
  if (stories.length === 0) return h('p', { class: 'soft' }, t('publications.nothing'))
  return [
    h('ol', { class: 'preview-items divided' }, stories.map((story) => storyLine({ ...story, isLettered: false, foot: footOf(story) }))),
    hasMore && h('p', { class: 'soft' }, t('publications.more')),
  ]
}

function footOf({ source, topic, eventCountry, publishedAt }: Story): Child {
  const names = [topic, source, eventCountry].filter((name) => name !== null && name !== '')
  return [names.map((name) => h('bdi', { class: 'soft' }, name)), h('span', { class: 'soft' }, ago(publishedAt))]
}
