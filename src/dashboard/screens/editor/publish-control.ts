/** The one control that stores a document: a button that says what it will do, and a menu with the other choices. */
import { button, fill, h } from '../../kit/dom.ts'
import { keepFocus } from '../../kit/focus.ts'
import { icon, type IconName } from '../../kit/icons.ts'
import { menuButton, type MenuItem } from '../../kit/menu-button.ts'
import { momentText } from '../../kit/moments.ts'
import { t } from '../../texts.ts'
import { publishPlan, type PublishState, type PublishStep } from './publish-plan.ts'

export interface PublishControlOptions {
  readonly run: (step: PublishStep) => void
  readonly signal: AbortSignal
}

export function publishControl({ run, signal }: PublishControlOptions) {
  let items: readonly MenuItem[] = []
  const menu = menuButton({ label: icon('down'), name: t('editor.otherWays'), items: () => items, signal, kind: 'primary' }).element
  const element = h('div', { class: 'buttons end publish' })
  let drawn = ''

  return {
    element,
    draw(state: PublishState): void {
      const { main, beside, more } = publishPlan(state)
      const named = (step: PublishStep): string => stepTitle(step, state)
      const key = [main, beside, ...more].map((step) => step && named(step)).join('\n')
      if (key === drawn) return
      drawn = key
      const stepButton = (step: PublishStep, kind: string): HTMLElement => button([icon(stepIcon(step)), named(step)], () => run(step), { class: kind, 'data-key': kind })
      items = more.map((step) => ({ label: named(step), icon: stepIcon(step), run: () => run(step) }))
      const split = (step: PublishStep): HTMLElement => h('div', { class: 'split' }, stepButton(step, 'primary'), items.length > 0 && menu)
      keepFocus(element, () => fill(element, beside !== undefined && stepButton(beside, 'beside'), main !== undefined && split(main)))
    },
    markBusy(isBusy: boolean): void {
      for (const one of element.querySelectorAll(':scope > button, .split > button')) one.setAttribute('aria-busy', String(isBusy))
    },
  }
}

/** What a step is called, on its button and in the palette. */
export function stepTitle(step: PublishStep, { status, plannedAt }: Pick<PublishState, 'status' | 'plannedAt'>): string {
  switch (step) {
    case 'saveDraft':
      return status === undefined ? t('editor.saveDraft') : t('save')
    case 'publish':
      return t('turn.active')
    case 'publishAt':
      return t('editor.publishAt', { when: momentText(plannedAt ?? '') })
    case 'schedule':
      return t('turn.schedule')
    case 'unpublish':
      return t('turn.draft')
    case 'archive':
      return t('turn.archived')
    case 'update':
    case 'publishNow':
    case 'changeTime':
    case 'unschedule':
    case 'toDraft':
      return t(`editor.${step}`)
  }
}

const ICONS: Readonly<Partial<Record<PublishStep, IconName>>> = {
  ...{ publish: 'publish', publishNow: 'publish', publishAt: 'calendar', schedule: 'calendar', changeTime: 'calendar' },
  ...{ archive: 'archive', unpublish: 'edit', toDraft: 'edit', unschedule: 'close' },
}

export function stepIcon(step: PublishStep): IconName {
  return ICONS[step] ?? 'check'
}
