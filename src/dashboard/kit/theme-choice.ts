/** A choice of light, dark, or as the system; remembered, and followed by other tabs. See theme-at-load.ts. */
import { onChoicesChangedElsewhere, storeChoice, storedChoice } from '../browser-storage.ts'
import { t } from '../texts.ts'
import { h } from './dom.ts'

const THEMES = ['system', 'light', 'dark'] as const

function applyTheme(): void {
  const theme = THEMES.find((one) => one === storedChoice('theme')) ?? 'system'
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
}

onChoicesChangedElsewhere(applyTheme)

export function themeChoice(): HTMLElement {
  const select = h(
    'select',
    {
      on: {
        change() {
          storeChoice('theme', select.value === 'system' ? undefined : select.value)
          applyTheme()
        },
      },
    },
    THEMES.map((one) => h('option', { value: one, selected: one === (storedChoice('theme') ?? 'system') }, t(`theme.${one}`))),
  )
  return h('label', { class: 'theme-choice' }, h('span', { class: 'soft' }, t('theme.label')), select)
}
