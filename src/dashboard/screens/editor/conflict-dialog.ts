/** Two people saved the same document: what each made of it, side by side, and which of it is to stay. */
import type { Json } from '../../../client/client.ts'
import type { Members } from '../../any-documents.ts'
import { fieldTitle } from '../../model-titles.ts'
import { t } from '../../texts.ts'
import { h } from '../../kit/dom.ts'
import { openFormDialog } from '../../kit/form-dialog.ts'
import { ago } from '../../kit/moments.ts'
import { valueText } from './version-difference.ts'
import { likelyChoice, merged, type Choice, type Difference } from './three-way.ts'

export interface Conflict {
  readonly mine: Members
  readonly different: readonly Difference[]
  readonly theirs: Members
}

/** The members that are to be saved; undefined where nothing was decided. */
export async function askToSettle({ mine, different, theirs }: Conflict): Promise<Members | undefined> {
  const choices = new Map(different.map((one) => [one, likelyChoice(one)]))
  let settled: Members | undefined
  const dialog = openFormDialog({
    title: t('editor.conflict'),
    wide: true,
    fields: [
      h('p', {}, t('editor.conflictText')),
      h('p', { class: 'soft' }, t('pair', { name: t('editor.theirs'), value: '' }), ago(String(theirs['updatedAt']))),
      different.map((one, i) => fieldChoice(one, `settle-${i}`, (choice) => choices.set(one, choice))),
    ],
    cancel: t('editor.goOn'),
    confirm: t('editor.settle'),
    send() {
      settled = merged(mine, different, (one) => choices.get(one) ?? likelyChoice(one))
      dialog.close()
    },
  })
  await dialog.closed
  return settled
}

function fieldChoice(difference: Difference, group: string, choose: (choice: Choice) => void): HTMLElement {
  const { name, before, mine, theirs, changedBy } = difference
  const likely = likelyChoice(difference)
  const option = (choice: Choice, value: Json | undefined): HTMLElement => {
    const [checked, change] = [likely === choice, () => choose(choice)]
    const isUnchanged = changedBy === (choice === 'mine' ? 'them' : 'me')
    return h(
      'label',
      { class: 'side' },
      h(
        'span',
        { class: 'tick' },
        h('input', { type: 'radio', name: group, checked, autofocus: checked, on: { change } }),
        h('strong', {}, t(`editor.${choice}`)),
        isUnchanged && h('span', { class: 'soft' }, t('editor.unchanged')),
      ),
      h('span', { class: 'side-value', dir: 'auto' }, valueText(value)),
    )
  }
  return h(
    'fieldset',
    { class: 'group settle' },
    h('legend', {}, fieldTitle(name)),
    changedBy === 'both' &&
      h('p', { class: 'soft before' }, t('editor.before'), ' ', h('span', { dir: 'auto' }, valueText(before))),
    option('mine', mine),
    option('theirs', theirs),
  )
}
