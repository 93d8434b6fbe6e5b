/** What changes, as rows of old and new; and what that does to readers. */
import type { Json } from '../../../client/client.ts'
import type { Difference } from '../../document-difference.ts'
import { fieldTitle } from '../../model-titles.ts'
import { t } from '../../texts.ts'
import { h } from '../../kit/dom.ts'
import { icon } from '../../kit/icons.ts'
import { limitTitle } from './limit-grid.ts'
import { readLimitName } from './limit-names.ts'
import type { Warning } from './lock-outs.ts'
import { valueText } from './configuration-value.ts'

export function differenceTable(differences: readonly Difference[]): HTMLElement {
  const heads = [t('settings.value'), t('configuration.before'), t('configuration.after')]
  const rows = differences.map(({ steps, before, after }) => {
    const name = h('th', { scope: 'row' }, steps.map(stepTitle).join(' › '))
    return h('tr', {}, name, cell('del', steps, before), cell('ins', steps, after))
  })
  const head = heads.map((title) => h('th', { scope: 'col' }, title))
  return h('table', { class: 'differences' }, h('thead', {}, h('tr', {}, head)), h('tbody', {}, rows))
}

function cell(tag: 'del' | 'ins', steps: readonly string[], value: Json | undefined): HTMLElement {
  if (value === undefined) return h('td', { class: 'soft' }, t('configuration.absent'))
  return h('td', {}, h(tag, {}, h('bdi', {}, valueText(steps, value))))
}

/** Null where there is nothing to warn of. */
export function warningList(warnings: readonly Warning[]): HTMLElement | null {
  if (warnings.length === 0) return null
  const items = warnings.map((warning) => h('li', {}, icon('warning'), h('span', {}, warningText(warning))))
  return h('ul', { class: 'warnings' }, items)
}

function warningText(warning: Warning): string {
  const name = 'name' in warning ? stepTitle(warning.name) : ''
  const version = 'version' in warning ? warning.version : ''
  return t(`configuration.${warning.kind}`, { name, version })
}

/** The name of a member, or of a key of a map. */
function stepTitle(step: string): string {
  const limit = readLimitName(step)
  if (limit !== undefined) return limitTitle(limit)
  return fieldTitle(step)
}
