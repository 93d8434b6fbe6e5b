/** How the service is doing, for administrators: one part at a time, each with a URL of its own. */
import { auditPart } from './audit-part.ts'
import { backupsPart } from './backups-part.ts'
import { clusterPart } from './cluster-part.ts'
import { limitsPart } from './limits-part.ts'
import { logPart } from './log-part.ts'
import { importPart } from './import-part.ts'
import { outboxPart } from './outbox-part.ts'
import type { OpenPart } from './part.ts'
import { settingsPart } from './settings-part.ts'
import { tokensPart } from './tokens-part.ts'
import { statusPart } from './status-part.ts'
import { isClusterNode } from '../../node-sign.ts'
import { goTo, hrefTo } from '../../screen-url.ts'
import type { OpenScreen } from '../../screen.ts'
import { t } from '../../texts.ts'
import { askToLeave } from '../../kit/dialog.ts'
import { h } from '../../kit/dom.ts'
import { partLinks } from '../../kit/part-links.ts'

const PARTS = {
  status: statusPart,
  outbox: outboxPart,
  backups: backupsPart,
  import: importPart,
  tokens: tokensPart,
  limits: limitsPart,
  cluster: clusterPart,
  settings: settingsPart,
  log: logPart,
  audit: auditPart,
} as const satisfies Readonly<Record<string, OpenPart>>
type PartName = keyof typeof PARTS

/** Parts that this service does not have, as a request of theirs has told. */
const missing = new Set<PartName>()

export const operationsScreen: OpenScreen = (context) => {
  const wanted = context.screenUrl.query.get('part') ?? ''
  const parts = (Object.keys(PARTS) as PartName[]).filter((name) => !missing.has(name) && (name !== 'cluster' || isClusterNode()))
  const shown = parts.find((name) => name === wanted) ?? 'status'
  const title = t(`operations.${shown}`)
  const part = PARTS[shown]({
    ...context,
    onMissing() {
      missing.add(shown)
      goTo(hrefTo(['operations']), 'replace')
    },
  })
  const links = parts.map((name) => {
    const href = hrefTo(['operations'], { part: name === 'status' ? undefined : name })
    return h('li', {}, h('a', { href, 'aria-current': name === shown && 'page' }, t(`operations.${name}`)))
  })
  return {
    title: `${title} · ${t('operations.title')}`,
    element: h(
      'section',
      {},
      h('h1', {}, t('operations.title')),
      partLinks(t('operations.title'), links).element,
      h('h2', { class: 'spoken' }, title),
      part.element,
    ),
    ...(part.search === undefined ? {} : { search: part.search }),
    hasUnsaved: () => part.hasUnsaved?.() === true,
    mayLeave: askToLeave,
  }
}
