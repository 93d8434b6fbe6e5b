/** Rules, in their order, each with the items that it would have found among the last hundred. */
import type { Json } from '../../../client/client.ts'
import type { RulePreview } from '../../../models/responses.ts'
import { isMembers } from '../../any-documents.ts'
import { problemOf } from '../../problem-text.ts'
import type { ScreenContext } from '../../screen.ts'
import { t } from '../../texts.ts'
import { debouncedRequest } from '../../timing.ts'
import { button, fill, h, webUrl, type Child } from '../../kit/dom.ts'
import { outsideLink } from '../../kit/elements.ts'
import { keepFocus } from '../../kit/focus.ts'
import { icon } from '../../kit/icons.ts'
import { errorText, isAbort } from '../../kit/states.ts'
import { ruleFields, type RuleFields } from './rule-fields.ts'

/** As the model has it. */
const RULES_MAX = 50
const TYPING_MS = 400
const NEW_RULE = { filter: '{"title":{"$regex":"","$options":"i"}}', topic: null, country: null, arrival: null, drop: false }

export interface RulesEditorOptions {
  /** Whose items they are tried on; undefined for those of all feeds. */
  readonly feed: string | undefined
  readonly onChange: () => void
  readonly isReadOnly: boolean
}

export function rulesEditor(given: Json | undefined, { client, signal }: ScreenContext, { feed, onChange, isReadOnly }: RulesEditorOptions) {
  let rules: RuleFields[] = []
  const list = h('div', { class: 'part' })
  const tried = h('p', { class: 'soft rules-tried', role: 'status' })
  const add = button([icon('plus'), t('rules.add')], addRule)
  const element = h('fieldset', { class: 'part rules-editor', disabled: isReadOnly }, list, tried, !isReadOnly && h('div', { class: 'buttons' }, add))

  const preview = debouncedRequest(TYPING_MS, signal, async (current) => {
    const unfinished = rules.findIndex((one) => one.isUnfinished())
    if (rules.length === 0 || unfinished !== -1) return showFound(undefined)
    try {
      const found = await client.admin.previewFeedRules({ rules: rules.map((one) => one.value()), ...(feed !== undefined && { feed }) }, { signal: current })
      if (!current.aborted) showFound(found)
    } catch (error) {
      if (isAbort(error)) return
      showFound(undefined)
      showFailure(error)
    }
  })
  set(given)

  function made(members: { readonly [name: string]: Json }): RuleFields {
    const one: RuleFields = ruleFields(members, {
      ...{ client, signal },
      onChange: changed,
      onMove(step) {
        const at = rules.indexOf(one)
        rules.splice(at, 1)
        rules.splice(at + step, 0, one)
        draw()
        changed()
      },
      onRemove() {
        rules = rules.filter((other) => other !== one)
        draw()
        changed()
        add.focus()
      },
    })
    return one
  }

  function addRule(): void {
    const one = made(NEW_RULE)
    rules.push(one)
    draw()
    one.focus()
    changed()
  }

  function set(value: Json | undefined): void {
    rules = Array.isArray(value) ? (value as readonly Json[]).filter((one) => isMembers(one)).map(made) : []
    draw()
    preview.now()
  }

  function changed(): void {
    for (const one of rules) one.showProblem('')
    preview()
    onChange()
  }

  function draw(): void {
    for (const [at, one] of rules.entries()) one.place(at, rules.length)
    keepFocus(list, () => fill(list, rules.length === 0 ? h('p', { class: 'soft' }, t('rules.none')) : rules.map((one) => one.element)))
    add.disabled = rules.length >= RULES_MAX
  }

  function showFound(found: RulePreview | undefined): void {
    fill(tried, found !== undefined && (found.tried === 0 ? t('rules.noItems') : t('rules.tried', { count: found.tried, dropped: found.dropped })))
    for (const [at, one] of rules.entries()) {
      const own = found?.rules[at]
      fill(one.found, own !== undefined && found?.tried !== 0 && foundBy(own))
    }
  }

  /** At the rule that it is about, where the service says which. */
  function showFailure(error: unknown): void {
    const at = /^rules\[(\d+)\]/.exec(problemOf(error)?.path ?? '')?.[1]
    // Only a filter that was typed as JSON may be none.
    const [typed, ...others] = rules.filter((one) => one.isTyped())
    const broken = at === undefined ? (others.length === 0 ? typed : undefined) : rules[Number(at)]
    if (broken === undefined) fill(tried, errorText(error))
    else broken.showProblem(errorText(error))
  }

  return {
    element,
    set,
    value: () => rules.map((one) => one.value()),
    /** Says at each rule that lacks its text that it does; false where none does. */
    showUnfinished(): boolean {
      const unfinished = rules.filter((one) => one.isUnfinished())
      for (const one of unfinished) one.showProblem(t('rules.unfinished'))
      unfinished[0]?.focus()
      return unfinished.length > 0
    },
    showFailure,
  }
}

function foundBy({ found, items }: RulePreview['rules'][number]): Child {
  if (found === 0) return h('p', { class: 'soft' }, t('rules.foundNone'))
  const rows = items.map(({ title, url }) => {
    const href = webUrl(url)
    const name = title === '' ? t('untitled') : title
    return h('li', { dir: 'auto' }, href === undefined ? name : outsideLink(href, name))
  })
  return h('details', {}, h('summary', {}, t('rules.found', { count: found })), h('ul', {}, rows))
}
