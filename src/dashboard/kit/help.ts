/** The keys that work everywhere. */
import { t } from '../texts.ts'
import { openDialog } from './dialog.ts'
import { h } from './dom.ts'

export function openHelp(): void {
  const rows = [
    ['/', t('help.search')],
    ['?', t('help.help')],
    ['Ctrl S', t('help.save')],
    ['Ctrl Z', t('help.undo')],
    ['Esc', t('help.close')],
  ] as const
  const listed = rows.map(([keys, meaning]) => {
    const signs = keys.split(' ').map((key) => h('kbd', {}, key))
    return [h('dt', {}, signs), h('dd', {}, meaning)]
  })
  openDialog({ title: t('help.title'), body: h('dl', { class: 'keys' }, listed) })
}
