/** The keys of the dashboard, and the switch for those of one sign. */
import { areSingleKeysOn, PALETTE_KEY, switchSingleKeys } from '../../shell-keys.ts'
import { t } from '../../texts.ts'
import { openDialog } from '../../kit/dialog.ts'
import { h } from '../../kit/dom.ts'

export function openKeyHelp(): void {
  const single = h('input', { type: 'checkbox', checked: areSingleKeysOn(), on: { change: () => switchSingleKeys(single.checked) } })
  openDialog({
    title: t('help.title'),
    body: [
      keys([
        [PALETTE_KEY, t('help.palette')],
        ['Ctrl S', t('help.save')],
        ['Ctrl Z', t('help.undo')],
        ['Esc', t('help.close')],
      ]),
      h('label', { class: 'tick' }, single, h('span', {}, t('help.single'))),
      keys([
        ['/', t('list.search')],
        ['n', t('help.new')],
        ['j k', t('help.rows')],
        ['e', t('help.open')],
        ['x', t('help.choose')],
        ['s', t('help.status')],
        ['?', t('help.help')],
      ]),
    ],
  })
}

function keys(rows: readonly (readonly [keys: string, meaning: string])[]): HTMLElement {
  return h(
    'dl',
    { class: 'keys' },
    rows.map(([signs, meaning]) => [
      h('dt', {}, signs.split(' ').map((sign) => h('kbd', {}, sign))),
      h('dd', {}, meaning),
    ]),
  )
}
