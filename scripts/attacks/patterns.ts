/**
 * Patterns from outside: some that V8 compiles for hours, some that backtrack for ever, some that are large only once
 * their repetitions are written out. Compiling cannot be interrupted, and models of one document are searched where
 * all requests are served.
 */
import HOSTILE_PATTERNS from '../../test/cases/hostile-patterns.json' with { type: 'json' }
import type { Attack, Site } from './attack.ts'
import { dataPath, inParallel, statusCounts, type TimedResponse } from './loopback-client.ts'

/** The result of a pattern: found, or rejected with a reason. */
const SUCCEEDED = [200, 400]
/** The result where the queries before it took too long. */
const REFUSED = [429, 503]
const RESPONSE_MS_MAX = 10_000

export const COMPILE_BOMBS = [
  `${'a?'.repeat(300)}aaaa`,
  `${'(?:\\b|a)'.repeat(120)}aaaa`,
  `${'(a|b|ab)?'.repeat(100)}c`,
  `${'(?:^|a)'.repeat(130)}$`,
  `${'(?:a|$)'.repeat(130)}b`,
  `${'\\B?'.repeat(300)}aaaa`,
  `(?i:${'[^a]?'.repeat(190)})ä`,
]

const EXPANSION_BOMBS = [
  '((a{1,100}){1,100}){1,100}',
  '(((((((((a{10}){10}){10}){10}){10}){10}){10}){10}){10})',
  'a{99999999}',
  '(?:[\\p{L}\\p{N}]{1,500}){1,20}x',
  `${'(?:'.repeat(240)}a${'){2}'.repeat(180)}${')'.repeat(60)}`,
  `[${'\\p{L}\\P{Lu}\\p{Script=Greek}'.repeat(30)}]{1,900}z`,
]

/** Of each kind that the tests know, some. */
const BACKTRACKING: readonly string[] = HOSTILE_PATTERNS.map(({ pattern }) => pattern).filter((_, i) => i % 8 === 0)

export const patternsCompile: Attack = {
  name: 'patterns-compile',
  tries: 'three guests send patterns that backtracking engines compile for hours',
  isQuick: true,
  run: (site) => sendPatterns(site, COMPILE_BOMBS),
}

export const patternsExpand: Attack = {
  name: 'patterns-expand',
  tries: 'three guests send patterns with nested counted repetitions',
  run: (site) => sendPatterns(site, EXPANSION_BOMBS),
}

export const patternsBacktrack: Attack = {
  name: 'patterns-backtrack',
  tries: 'three guests send 25 patterns that take exponential time on stored titles',
  run: (site) => sendPatterns(site, BACKTRACKING),
}

/** Models of one document, of few documents, and computed ones. */
export const patternsSmallModels: Attack = {
  name: 'patterns-small-models',
  tries: 'hostile patterns on the summary, the configuration, countries, users, plans and the audit trail',
  isQuick: true,
  async run(site) {
    const patterns = [BACKTRACKING[0], BACKTRACKING[1], COMPILE_BOMBS[0], COMPILE_BOMBS[1]] as string[]
    const { administrator, publisher } = site
    const guest = await site.guest()
    const targets = [
      { model: 'dashboard_summary', field: 'id', by: publisher, wanted: SUCCEEDED },
      { model: 'dashboard_summary', field: 'id', by: guest, wanted: [403] },
      { model: 'remote_config', field: 'appStatus.latestAppVersion', by: guest, wanted: SUCCEEDED },
      { model: 'country', field: 'name', by: guest, wanted: SUCCEEDED },
      { model: 'user', field: 'email', by: administrator, wanted: SUCCEEDED },
      { model: 'user_content_preferences', field: 'id', by: administrator, wanted: SUCCEEDED },
    ]
    const [notes, faults]: [string[], string[]] = [[], []]
    const plans = await inParallel(patterns.length, (i) =>
      site.send({
        method: 'POST',
        path: dataPath({ model: 'headline' }, '/explain'),
        body: { filter: { title: { $regex: patterns[i] } } },
        token: publisher.token,
      }),
    )
    notes.push(`explain: ${statusCounts(plans)}`)
    faults.push(...unwanted(plans, SUCCEEDED).map((fault) => `explain: ${fault}`))
    const audit = await site.send({
      path: `/api/v1/admin/audit?filter=${encodeURIComponent(JSON.stringify({ event: { $regex: patterns[0] } }))}`,
      token: administrator.token,
    })
    notes.push(`audit: ${audit.status}`)
    faults.push(...unwanted([audit], SUCCEEDED).map((fault) => `audit: ${fault}`))
    for (const { model, field, by, wanted } of targets) {
      const responses = await inParallel(patterns.length, (i) =>
        site.send({ path: dataPath({ model, filter: { [field]: { $regex: patterns[i] } } }), token: by.token }),
      )
      notes.push(`${model}: ${statusCounts(responses)}`)
      faults.push(...unwanted(responses, wanted).map((fault) => `${model}: ${fault}`))
    }
    return { notes, faults }
  },
}

async function sendPatterns(site: Site, patterns: readonly string[]) {
  const guests = await inParallel(3, () => site.guest())
  const chosen = site.isQuick ? patterns.slice(0, 4) : patterns
  const responses = await inParallel(guests.length, async (i) => {
    const token = guests[i]?.token
    const ofGuest: TimedResponse[] = []
    for (const pattern of chosen) {
      const filters = [
        { title: { $regex: pattern } },
        { excerpt: { $regex: pattern, $options: 'i' } },
        { title: { $not: { $regex: pattern, $options: 'ims' } } },
      ]
      const filter = filters[i] as object
      // Each as a URL and as a body: two ways into the same search.
      ofGuest.push(await site.send({ path: dataPath({ model: 'headline', filter, limit: '5' }), token }))
      if (site.isQuick) continue
      const body = { filter, limit: 5 }
      ofGuest.push(
        await site.send({ method: 'POST', path: '/api/v1/data/query?model=headline', body, token }),
      )
    }
    return ofGuest
  })
  const all = responses.flat()
  const slowest = Math.max(...all.map(({ ms }) => ms))
  return {
    notes: [`responses ${statusCounts(all)}, the slowest after ${Math.round(slowest)} ms`],
    faults: unwanted(all, [...SUCCEEDED, ...REFUSED]),
    lateness: [...unwanted(all, [...SUCCEEDED, 0]), ...late(all)],
  }
}

function unwanted(responses: readonly TimedResponse[], wanted: readonly number[]): string[] {
  const others = responses.filter(({ status }) => !wanted.includes(status))
  return others.length === 0 ? [] : [`responses other than ${wanted.join(', ')}: ${statusCounts(others)}`]
}

function late(responses: readonly TimedResponse[]): string[] {
  const found = responses.filter(({ ms }) => ms > RESPONSE_MS_MAX)
  return found.length === 0 ? [] : [`${found.length} responses took longer than ${RESPONSE_MS_MAX / 1000} s`]
}
