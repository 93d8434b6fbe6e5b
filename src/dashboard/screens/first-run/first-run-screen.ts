/**
 * The first minutes of a new service, behind the address that makes the first administrator: name and language, mail,
 * content, backups. Each step can be skipped, has a URL of its own, and does what can be done later in Operations.
 */
import type { ServiceSettings } from '../../../models/responses.ts'
import { EDITABLE, EDITABLE_NAMES } from '../../../models/editable-settings.ts'
import { storeChoice } from '../../browser-storage.ts'
import { FIRST_RUN, goTo, hrefTo } from '../../screen-url.ts'
import type { OpenScreen, ScreenContext } from '../../screen.ts'
import { t } from '../../texts.ts'
import { button, fill, h, type Child } from '../../kit/dom.ts'
import { card, labelled } from '../../kit/elements.ts'
import { languageChoice } from '../../kit/language-choice.ts'
import { notify } from '../../kit/notices.ts'
import { readInto } from '../../kit/read-into.ts'
import { workButton } from '../../kit/work-button.ts'
import { settingsForm } from '../operations/settings-form.ts'

const STEPS = ['name', 'mail', 'content', 'backups'] as const
type Step = (typeof STEPS)[number]
/** The settings of each. */
const GROUPS: Readonly<Partial<Record<Step, string>>> = { name: 'names', mail: 'mail', backups: 'backups' }

export const firstRunScreen: OpenScreen = (context) => {
  const given = Number(context.screenUrl.query.get('step') ?? '1')
  const at = STEPS[given - 1] === undefined ? 1 : given
  const step = STEPS[at - 1] ?? 'name'
  const title = t(`first.${step}`)
  const content = h('div')
  const go = (to: number): void => {
    if (to > STEPS.length) notify(t('first.done'), { kind: 'done' })
    goTo(to > STEPS.length ? hrefTo([]) : hrefTo([FIRST_RUN], { step: to === 1 ? undefined : String(to) }))
  }
  const isLast = at === STEPS.length
  const back: Child = at > 1 && button(t('first.back'), () => go(at - 1), { class: 'plain' })
  const onward = { label: t(isLast ? 'first.finish' : 'first.next'), skip: t('first.skip'), go: () => go(at + 1) }
  if (step === 'content') fill(content, contentStep(context, { onward, back }))
  else {
    const show = (settings: ServiceSettings): Child => [
      step === 'name' && labelled(t('shell.language'), languageChoice(useLanguageFromNow)),
      settingsForm({
        ...{ context, settings, version: () => settings.version },
        names: EDITABLE_NAMES.filter((name) => EDITABLE[name].group === GROUPS[step]),
        save: t('first.saveNext'),
        onSaved: () => go(at + 1),
        aside: back,
        onward,
      }).element,
    ]
    readInto(context, { element: content, lines: 6, read: (options) => context.client.admin.settings(options), show })
  }
  return {
    title,
    element: h(
      'section',
      { class: 'first-run' },
      h('h1', {}, t('first.title')),
      h('p', { class: 'soft' }, t('first.lead')),
      h('ol', { class: 'first-steps' }, STEPS.map((one, i) => stepLink(one, i + 1, at))),
      card(
        h('h2', {}, title),
        h('p', { class: 'soft' }, t('first.step', { step: at, count: STEPS.length })),
        h('p', {}, t(`first.${step}Text`, { url: `${location.origin}/` })),
        content,
      ),
    ),
  }
}

function stepLink(step: Step, number: number, at: number): HTMLElement {
  const href = hrefTo([FIRST_RUN], { step: number === 1 ? undefined : String(number) })
  const attributes = { href, class: number < at && 'past', 'aria-current': number === at && 'step' }
  return h('li', {}, h('a', attributes, h('span', { class: 'first-number', 'aria-hidden': 'true' }, String(number)), h('span', {}, t(`first.${step}`))))
}

/** The whole page is in it then, with the texts of every screen. */
function useLanguageFromNow(code: string): void {
  storeChoice('language', code)
  location.reload()
}

interface StepButtons {
  readonly onward: { readonly label: string; readonly go: () => void }
  readonly back: Child
}

function contentStep({ client, signal }: ScreenContext, { onward, back }: StepButtons): Child {
  const next = button(onward.label, onward.go)
  const outcome = h('p', { role: 'status' })
  const loadSample = async (): Promise<void> => {
    fill(outcome, t('first.sampleLoaded', { ...(await client.admin.loadSample({ signal })) }))
    load.classList.remove('primary')
    next.classList.add('primary')
  }
  const load = workButton(t('first.sample'), loadSample, { class: 'primary' })
  return [
    h('div', { class: 'buttons' }, load, h('a', { href: hrefTo(['operations'], { part: 'import' }) }, t('first.import'))),
    outcome,
    h('div', { class: 'buttons' }, next, back),
  ]
}
