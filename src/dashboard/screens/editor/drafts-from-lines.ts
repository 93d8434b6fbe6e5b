/**
 * Drafts from a list that is pasted into the title of a new document: one for each line, after a question.
 *
 * A web address at the end of a line becomes the link of its draft, where the model has one, and a second one its picture: a line
 * may be the cells of a table. All of them are made at once, and can be taken back.
 */
import type { Model } from '../../../models/schema.ts'
import type { Members } from '../../any-documents.ts'
import { withoutIndex } from '../../batches.ts'
import { pathOf } from '../../model-titles.ts'
import { removeWithUndo } from '../../removal.ts'
import { goTo, hrefTo } from '../../screen-url.ts'
import type { ScreenContext } from '../../screen.ts'
import { numberText, t } from '../../texts.ts'
import { openDialog } from '../../kit/dialog.ts'
import { button, h, webUrl } from '../../kit/dom.ts'
import { notify } from '../../kit/notices.ts'
import { errorText } from '../../kit/states.ts'
import { workButton } from '../../kit/work-button.ts'
import { draftsOnce } from './drafts-once.ts'

/** Of a list that becomes drafts. */
const LINES_MAX = 1_000
/** Members for the addresses of a line, from left to right. */
const ADDRESSES = ['url', 'imageUrl']
/** Lines that the question shows. */
const SHOWN = 5

export interface PastedLines {
  readonly model: Model
  /** The member that a line names. */
  readonly member: string
  readonly lines: readonly string[]
  readonly context: Pick<ScreenContext, 'client' | 'signal'>
  /** Pastes them into the field after all. */
  readonly asOneLine: () => void
  /** Before the screen is left for the drafts. */
  readonly onMade: () => void
}

export function askForDrafts({ model, member, lines, context, asOneLine, onMade }: PastedLines): void {
  const { client, signal } = context
  if (lines.length > LINES_MAX) {
    const [max, found] = [LINES_MAX, lines.length].map((count) => numberText(count)) as [string, string]
    return void notify(t('lines.tooMany', { max, found }), { kind: 'failed' })
  }
  const drafts = lines.map((line) => draftOf(line, model, member))
  const once = draftsOnce(client, model, drafts)
  const make = workButton(t('lines.make'), create, { class: 'primary', autofocus: true })
  const paste = (): void => {
    dialog.close()
    asOneLine()
  }
  const dialog = openDialog({
    title: t('lines.title', { items: t('overview.drafts', { count: drafts.length }) }),
    body: [
      h('p', {}, t('lines.text')),
      h('ul', { class: 'lines' }, drafts.slice(0, SHOWN).map((one) => h('li', { dir: 'auto' }, String(one[member])))),
      drafts.length > SHOWN && h('p', { class: 'soft' }, t('lines.more', { count: drafts.length - SHOWN })),
    ],
    actions: [button(t('lines.oneLine'), paste), make],
  })

  async function create(): Promise<void> {
    const { ids, failures, isAnswered } = await once.make()
    if (failures.length > 0) notify(t('editor.notSaved', { reason: withoutIndex(errorText(failures[0]?.error)) }), { kind: 'failed' })
    if (ids.length === 0) return
    const undo = (): void => {
      once.takeBack(ids)
      void removeWithUndo({ client, model, ids, notice: (count) => t('bulk.deleted', { items: t('overview.drafts', { count }), count }), onBack: once.bringBack })
    }
    notify(t('lines.made', { items: t('overview.drafts', { count: ids.length }) }), { kind: 'done', action: { label: t('undo'), run: undo } })
    if (signal.aborted || !isAnswered) return
    dialog.close()
    onMade()
    goTo(hrefTo([pathOf(model)], { status: 'draft' }))
  }
}

/** As the editor would store it, so that it lacks only what is chosen, and its link where there is none. */
function draftOf(line: string, model: Model, member: string): Members {
  const { title, addresses } = partsOf(line, ADDRESSES.filter((name) => name in model.fields).length)
  const given = addresses.map((address, i) => [ADDRESSES[i] ?? '', address] as const)
  const empty = Object.entries(model.fields).filter(([name, field]) => field.kind === 'text' && field.blank && name !== 'url').map(([name]) => [name, ''] as const)
  return { ...Object.fromEntries([...empty, ...given]), [member]: title.replaceAll(/\s+/g, ' ').trim(), status: 'draft' }
}

/** A line without the web addresses at its end, and these, from left to right. */
function partsOf(line: string, addressesMax: number): { readonly title: string; readonly addresses: readonly string[] } {
  const addresses: string[] = []
  let title = line
  for (;;) {
    const last = /\s(\S+)\s*$/.exec(title)
    const url = webUrl(last?.[1] ?? '')
    if (last === null || url === undefined || addresses.length === addressesMax) return { title, addresses }
    addresses.unshift(url)
    title = title.slice(0, last.index)
  }
}
