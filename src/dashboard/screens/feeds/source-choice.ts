/** The source of a new feed: one that there is, or a new one that is filled in from what the feed says of itself. */
import { NotFound, type Client, type Json } from '../../../client/client.ts'
import { language } from '../../../models/language.ts'
import type { FeedPreview } from '../../../models/responses.ts'
import type { Shape } from '../../../models/schema.ts'
import { source } from '../../../models/source.ts'
import { documentsOf, isMembers, type Members } from '../../any-documents.ts'
import { fieldTitle, modelTitle } from '../../model-titles.ts'
import { problemOf } from '../../problem-text.ts'
import { t } from '../../texts.ts'
import { h } from '../../kit/dom.ts'
import { formFor } from '../../kit/form/form.ts'
import { pickerControl, type PickerParts } from '../../kit/form/picker.ts'

const NEW_SOURCE = ['name', 'url', 'description', 'logoUrl', 'sourceType', 'language', 'headquarters'] as const

export interface SourceGuess {
  /** The source whose address is the site of the feed. */
  readonly known: Members | undefined
  /** What a new one would have. */
  readonly made: Members
  readonly language: Members | undefined
}

/** Looks for the source of a feed, and for its language. */
export async function guessSource(client: Client, found: FeedPreview, signal: AbortSignal): Promise<SourceGuess> {
  const site = found.siteUrl ?? new URL(found.address).origin
  const [known, ofFeed] = await Promise.all([sourceAt(client, site, signal), languageOf(client, found.language, signal)])
  const made: Members = {
    ...{ name: found.title ?? new URL(site).hostname, url: site, description: found.description ?? '', logoUrl: found.imageUrl ?? '', sourceType: 'other' },
    ...(ofFeed !== undefined && { language: ofFeed }),
  }
  return { known, made, language: ofFeed }
}

async function sourceAt(client: Client, url: string, signal: AbortSignal): Promise<Members | undefined> {
  const documents = documentsOf(client, source)
  const [same] = (await documents.duplicates({ url }, { signal })).items
  if (same === undefined) return undefined
  try {
    return (await documents.get(same.id, { signal })).document
  } catch (error) {
    if (error instanceof NotFound) return undefined
    throw error
  }
}

/** The language of `is-IS` is that with the code `is`. */
async function languageOf(client: Client, tag: string | null, signal: AbortSignal): Promise<Members | undefined> {
  const code = /^[a-z]{2}(?=-|$)/i.exec(tag ?? '')?.[0].toLowerCase()
  if (code === undefined) return undefined
  const { items } = await documentsOf(client, language).list({ filter: { code }, limit: 1 }, { signal })
  return items[0]
}

export function sourceChoice({ known, made }: SourceGuess, { onChange, ...parts }: PickerParts & { readonly onChange: () => void }) {
  const existing = pickerControl(source, { path: 'source', label: modelTitle(source), onChange: pick }, parts)
  const fields: Shape = Object.fromEntries(NEW_SOURCE.map((name) => [name, source.fields[name]]))
  const form = formFor(fields, made, { onChange, picker: (model, options) => pickerControl(model, options, parts) })
  existing.set(known)
  const radio = (isNew: boolean): HTMLInputElement => h('input', { type: 'radio', name: 'feed-source', checked: isNew === (known === undefined), on: { change: arrange } })
  const [old, fresh] = [radio(false), radio(true)]
  const [oldPlace, freshPlace] = [h('div', { class: 'source-old' }, existing.element), h('div', {}, form.element)]
  let stored: Members | undefined
  show()

  function pick(): void {
    existing.showProblem('source', undefined)
    onChange()
  }

  function arrange(): void {
    show()
    onChange()
  }

  function show(): void {
    oldPlace.hidden = fresh.checked
    freshPlace.hidden = old.checked
  }

  /** What is chosen, or typed of a new one. */
  function current(): Members | undefined {
    const value: Json | undefined = fresh.checked ? form.value() : existing.value()
    return isMembers(value) ? value : undefined
  }

  return {
    element: h(
      'fieldset',
      { class: 'source-choice' },
      h('legend', {}, fieldTitle('source')),
      h('div', { class: 'choices' }, h('label', { class: 'tick' }, old, ' ', t('feeds.oldSource')), h('label', { class: 'tick' }, fresh, ' ', t('feeds.newSource'))),
      oldPlace,
      freshPlace,
    ),
    current,
    /** A country that is chosen for the headlines is likely that of the publisher. */
    suggestCountry(value: Json | undefined): void {
      if (isMembers(value) && !isMembers(form.value()['headquarters'])) form.set({ ...form.value(), headquarters: value })
    },
    /** The id of the source, which is made where it is new: once, also where the feed is rejected then. Undefined where something lacks, which is said. */
    async settle(signal: AbortSignal): Promise<string | undefined> {
      if (old.checked) {
        const chosen = current()
        if (chosen !== undefined) return String(chosen['id'])
        existing.showProblem('source', t('problem.required.source'))
        existing.focusProblem()
        return undefined
      }
      form.showProblems([])
      try {
        stored ??= (await documentsOf(parts.client, source).create({ ...form.value(), status: 'active' }, { signal })).document
        return String(stored['id'])
      } catch (error) {
        const problem = problemOf(error)
        if (problem === undefined || form.showProblems([problem]).length > 0) throw error
        form.focusProblem()
        return undefined
      }
    },
  }
}
