/** A choice of light, dark, or as the system; remembered, and followed by other tabs. See theme-at-load.ts. */
import { onChoicesChangedElsewhere, storeChoice, storedChoice } from '../browser-storage.ts'
import { t } from '../texts.ts'
import { h } from './dom.ts'
import { choiceAmong } from './elements.ts'

const THEMES = ['system', 'light', 'dark'] as const

function storedTheme(): (typeof THEMES)[number] {
  return THEMES.find((one) => one === storedChoice('theme')) ?? 'system'
}

function applyTheme(): void {
  const theme = storedTheme()
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
}

onChoicesChangedElsewhere(applyTheme)

export function themeChoice(): HTMLElement {
  const select = choiceAmong(THEMES, (one) => t(`theme.${one}`), {
    value: storedTheme(),
    on: {
      change() {
        storeChoice('theme', select.value === 'system' ? undefined : select.value)
        applyTheme()
      },
    },
  })
  return h('label', { class: 'theme-choice' }, h('span', { class: 'soft' }, t('theme.label')), select)
}
