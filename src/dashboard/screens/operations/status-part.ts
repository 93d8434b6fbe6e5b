/** What runs, for how long, how large it is, and what needs attention. */
import type { DashboardSetup, ServiceStatus } from '../../../models/responses.ts'
import { hrefTo } from '../../screen-url.ts'
import { numberText, t } from '../../texts.ts'
import { atMostEvery } from '../../timing.ts'
import { attentionCard, foundByService, readStatus } from '../../kit/attention.ts'
import { h, type Child } from '../../kit/dom.ts'
import { card, code, facts } from '../../kit/elements.ts'
import { icon } from '../../kit/icons.ts'
import { byteSize, dateTime, duration } from '../../kit/moments.ts'
import { readInto } from '../../kit/read-into.ts'
import type { OpenPart } from './part.ts'

/** Between two looks at what has changed meanwhile. */
const REST_MS = 5_000

export const statusPart: OpenPart = (context) => {
  const element = h('div', { class: 'part' })
  const { dashboard } = context.client
  const { refresh } = readInto(context, { element, lines: 12, read: (options) => Promise.all([readStatus(context, options), dashboard.setup(options)]), show })
  context.live.watch(atMostEvery(REST_MS, context.signal, refresh), context.signal)
  return { element }
}

function show([status, { codesBy }]: readonly [ServiceStatus, DashboardSetup]): Child {
  const { database, guests, queries, mail } = status
  return [
    attention(status),
    h(
      'div',
      { class: 'fact-cards' },
      factCard(t('status.service'), [
        [t('status.version'), code(status.version)],
        [t('status.runningFor'), duration(status.uptimeSeconds * 1000)],
        [t('status.since'), dateTime(status.startedAt)],
        ['Node.js', code(status.node)],
        [t('status.platform'), code(status.platform)],
        [t('status.instance'), code(status.instance)],
      ]),
      factCard(t('status.storage'), [
        [t('status.database'), byteSize(database.bytes)],
        [t('status.databaseLog'), byteSize(database.logBytes)],
        [t('status.free'), byteSize(database.freeBytes)],
        [t('status.guests'), t('status.guestsOf', { size: byteSize(guests.bytes), max: byteSize(guests.bytesMax) })],
        [t('status.dataDir'), code(status.dataDir)],
      ]),
      factCard(t('status.queries'), [
        [t('status.inline'), numberText(queries.inline)],
        [t('status.worker'), numberText(queries.worker)],
        [t('status.timedOut'), numberText(queries.timedOut)],
        [t('refused'), numberText(queries.refused)],
        [t('status.queriesRunning'), numberText(sum(queries.running))],
        [t('status.queriesWaiting'), numberText(sum(queries.waiting))],
      ]),
      card(
        h('h3', {}, t('status.mail')),
        codesBy === 'terminal'
          ? h('p', { class: 'soft' }, t('mail.none'), ' ', h('a', { href: hrefTo(['operations'], { part: 'settings', group: 'mail' }) }, t('status.setUpMail')))
          : mail.description.map((line) => h('p', { class: 'soft', lang: 'en', dir: 'auto' }, line)),
      ),
    ),
  ]
}

function attention({ attention: items }: ServiceStatus): Child {
  if (items.length === 0) return h('p', { class: 'all-well' }, icon('check'), t('status.allWell'))
  const found = items.map((item) => foundByService(item))
  return attentionCard(found)
}

function factCard(title: string, values: readonly (readonly [string, Child])[]): HTMLElement {
  return card(h('h3', {}, title), facts(...values))
}

function sum(counts: ServiceStatus['queries']['running']): number {
  return counts.guest + counts.user + counts.dashboard
}
