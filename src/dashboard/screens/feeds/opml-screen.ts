/** The feeds of another reader: an OPML file, checked first or added at once, with a report by line. */
import { country } from '../../../models/country.ts'
import { ARRIVALS, type Arrival } from '../../../models/feed-model.ts'
import type { OpmlReport } from '../../../models/responses.ts'
import { source } from '../../../models/source.ts'
import { topic } from '../../../models/topic.ts'
import { isMembers } from '../../any-documents.ts'
import { fieldTitle, valueTitle } from '../../model-titles.ts'
import { problemText } from '../../problem-text.ts'
import type { Screen, ScreenContext } from '../../screen.ts'
import { FEEDS, hrefTo } from '../../screen-url.ts'
import { t } from '../../texts.ts'
import { fill, h, type Child } from '../../kit/dom.ts'
import { choiceAmong, crumb, labelled, problemLine, screenHead, tag } from '../../kit/elements.ts'
import { icon } from '../../kit/icons.ts'
import { errorText, orTell } from '../../kit/states.ts'
import { workButton } from '../../kit/work-button.ts'
import { pickerControl } from '../../kit/form/picker.ts'
import { recordsTable } from '../../kit/table/records-table.ts'
import { optionalPicker } from './optional-picker.ts'

/** What the service takes. */
const FILE_BYTES_MAX = 2_000_000
const TONES: Readonly<Record<string, string>> = { added: 'good', known: '', rejected: 'bad' }

type Row = OpmlReport['rows'][number]

export function opmlScreen(context: ScreenContext): Screen {
  const { client, signal } = context
  const title = t('feeds.import')
  const parts = { client, signal }
  const ignored = (): void => {}
  const file = h('input', { type: 'file', accept: '.opml,.xml,text/x-opml,text/xml,application/xml', on: { change: () => fill(report) } })
  const ofSource = pickerControl(source, { path: 'source', label: fieldTitle('source'), about: t('opml.source'), onChange: () => ofSource.showProblem('source', undefined) }, parts)
  const ofTopic = optionalPicker(topic, { path: 'topic', label: fieldTitle('topic'), about: t('opml.topic'), onChange: ignored }, parts)
  const ofCountry = optionalPicker(country, { path: 'country', label: fieldTitle('country'), onChange: ignored }, parts)
  const arrival = choiceAmong(ARRIVALS, valueTitle, { value: 'draft' })
  const keepsPictures = h('input', { type: 'checkbox' })
  const problem = problemLine()
  const report = h('div', { class: 'part' })
  const check = workButton(t('opml.check'), () => orTell(problem, () => send(true), tell))
  const add = workButton([icon('plus'), t('opml.add')], () => orTell(problem, () => send(false), tell), { class: 'primary' })

  async function send(dryRun: boolean): Promise<void> {
    const chosen = file.files?.[0]
    if (chosen === undefined) return void fill(problem, t('opml.noFile'))
    if (chosen.size > FILE_BYTES_MAX) return void fill(problem, t('opml.tooLarge'))
    const found = ofSource.value()
    if (!isMembers(found)) {
      ofSource.showProblem('source', t('problem.required.source'))
      return void ofSource.focusProblem()
    }
    const references = [ofTopic, ofCountry].flatMap((one) => {
      const value = one.value()
      return isMembers(value) ? [[one.path, { id: String(value['id']) }] as const] : []
    })
    const body = { opml: await chosen.text(), source: { id: String(found['id']) }, ...Object.fromEntries(references), arrival: arrival.value as Arrival, keepsPictures: keepsPictures.checked, dryRun }
    fill(report, h('progress', { 'aria-label': t('opml.running') }))
    fill(report, reported(await client.admin.importFeeds(body, { signal }), dryRun))
  }

  function tell(error: unknown): string {
    fill(report)
    return errorText(error)
  }

  return {
    title,
    element: h(
      'section',
      { class: 'feeds narrow-screen' },
      crumb(hrefTo([FEEDS]), t('models.feed')),
      screenHead(title),
      h('p', { class: 'soft about' }, t('opml.about')),
      h(
        'div',
        { class: 'card form' },
        labelled(t('opml.file'), file),
        ofSource.element,
        h('div', { class: 'rule-sets' }, ofTopic.element, ofCountry.element, labelled(fieldTitle('arrival'), arrival)),
        h('label', { class: 'tick' }, keepsPictures, fieldTitle('keepsPictures')),
        problem,
        h('div', { class: 'buttons end' }, check, add),
      ),
      report,
    ),
  }
}

function reported({ added, known, rejected, leftOut, rows }: OpmlReport, isDryRun: boolean): Child {
  return [
    h(
      'div',
      { class: 'part-tools', role: 'status' },
      h('p', {}, h('strong', {}, t(isDryRun ? 'opml.wouldAdd' : 'opml.added', { count: added })), ' · ', t('opml.others', { known, rejected })),
      !isDryRun && added > 0 && h('a', { class: 'button', href: hrefTo([FEEDS]) }, t('models.feed')),
    ),
    leftOut > 0 && h('p', { class: 'banner' }, t('opml.leftOut', { count: leftOut })),
    recordsTable<Row>(
      t('opml.report'),
      [
        { title: t('opml.line'), kind: 'number', cell: ({ line }) => line },
        { title: t('model.feed'), cell: ({ title, address }) => h('div', { class: 'feed-name' }, h('bdi', {}, title === '' ? address : title), h('span', { class: 'soft feed-address', dir: 'ltr' }, address)) },
        { title: t('opml.outcome'), cell: (row) => h('div', { class: 'feed-name' }, h('span', {}, tag(TONES[row.outcome], t(`opmlOutcome.${row.outcome}`))), row.message !== null && h('span', { class: 'soft', dir: 'auto' }, reasonOf(row, row.message))) },
      ],
      // What wants a look comes first.
      [...rows].sort((one, other) => Number(other.outcome === 'rejected') - Number(one.outcome === 'rejected')),
    ),
  ]
}

/** Why a feed was not added. The English message stands in for what the page has no text for. */
function reasonOf({ outcome, known, problem }: Row, message: string): string {
  if (outcome === 'known') return known === null ? t('opml.above') : t('opml.isFeed', { title: known })
  return problem === null ? message : problemText({ ...problem, message })
}
