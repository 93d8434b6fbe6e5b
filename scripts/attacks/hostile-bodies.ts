/** Bodies that are cheap to send and dear to read: numbers that need exactness, depth, escapes, references. */
import type { Attack, Site } from './attack.ts'
import { dataPath, inParallel, statusCounts, type TimedResponse } from './loopback-client.ts'

const LONG_BYTES = 2_000_000
const GUEST_BYTES = 250_000
const REFERENCES = 1_000
const ANSWERED = [200, 400, 403, 413, 429, 503]

export const bodiesOfNumbers: Attack = {
  name: 'bodies-numbers-2mib',
  tries: 'four users send bodies of 2 MB: numbers as 1e1, long digits, depth, escapes, many members',
  // One such body may be read in one go, which takes some ten milliseconds a megabyte.
  limits: { othersMedianMs: 40, othersP99Ms: 400, growthMib: 200 },
  run: (site) => sendBodies(site, { bytes: LONG_BYTES, asGuest: false }),
}

export const bodiesOfGuest: Attack = {
  name: 'bodies-numbers-guest',
  tries: 'one guest sends the same bodies of 250 KB and of 2 MB, four at a time',
  isQuick: true,
  run: (site) => sendBodies(site, { bytes: GUEST_BYTES, asGuest: true }),
}

export const preferencesReferences: Attack = {
  name: 'preferences-references',
  tries: 'one guest saves a filter with 1,000 references, 16 requests at a time',
  isQuick: true,
  async run(site) {
    const { id, token } = await site.guest()
    const references = (ids: readonly string[]) =>
      Array.from({ length: REFERENCES }, (_, i) => ({ id: ids[i % ids.length] }))
    const unknown = Array.from({ length: REFERENCES }, (_, i) => i.toString(16).padStart(24, 'e'))
    const filter = (sources: readonly object[]) => ({ id: 'x', name: 'x', topics: [], sources, countries: [] })
    const empty = { followedCountries: [], followedSources: [], followedTopics: [], savedHeadlines: [] }
    const bodies = [
      { ...empty, savedFilters: [filter(references(site.sourceIds))] },
      { ...empty, savedFilters: [filter(references(unknown))] },
      { ...empty, savedHeadlines: references(site.headlineIds), savedFilters: [] },
      { ...empty, savedFilters: Array.from({ length: 300 }, () => filter(references(site.sourceIds).slice(0, 30))) },
    ].map((body) => JSON.stringify(body))
    const path = dataPath({ model: 'user_content_preferences' }, `/${id}`)
    const from = site.newAddress()
    const rounds = site.isQuick ? 3 : 12
    const responses = await inParallel(16, async (i) => {
      const ofClient: TimedResponse[] = []
      for (let round = 0; round < rounds; round++) {
        const body = bodies[(i + round) % bodies.length]
        ofClient.push(await site.send({ method: 'PUT', path, token, body, from }))
      }
      return ofClient
    })
    return outcome(responses.flat())
  },
}

async function sendBodies(site: Site, { bytes, asGuest }: { readonly bytes: number; readonly asGuest: boolean }) {
  const bodies = [...hostileJson(bytes), ...(asGuest ? hostileJson(LONG_BYTES).slice(0, 2) : [])]
  const guest = await site.guest()
  const rounds = site.isQuick ? 1 : 2
  const responses = await inParallel(4, async () => {
    const account = asGuest ? guest : site.reader()
    const from = site.newAddress()
    const ofClient: TimedResponse[] = []
    const item = `/${account.id}`
    for (let round = 0; round < rounds; round++) {
      for (const body of bodies) {
        const [method, path] =
          round % 2 === 0
            ? ['PUT', dataPath({ model: 'user_content_preferences' }, item)]
            : ['POST', dataPath({ model: 'headline' }, '/query')]
        ofClient.push(await site.send({ method, path, token: account.token, body, from }))
      }
    }
    return ofClient
  })
  return outcome(responses.flat())
}

/** Objects of about so many bytes, each slow to read in its own way. */
function hostileJson(bytes: number): readonly string[] {
  const fill = (start: string, piece: string, end: string): string =>
    start + piece.repeat(Math.floor((bytes - start.length - end.length) / piece.length)) + end
  const halves = Math.floor((bytes - 20) / 2)
  return [
    fill('{"x":[1e1', ',0', ']}'),
    fill('{"x":[0', ',1e1', ']}'),
    fill('{"x":[0', ',1.10e-7', ']}'),
    fill('{"x":[0', ',12345678901234567890123', ']}'),
    `{"x":${'1'.repeat(bytes - 10)}}`,
    `{"x":1e${'9'.repeat(bytes - 10)}}`,
    `{"x":${'['.repeat(halves)}${']'.repeat(halves)}}`,
    fill('{"x":[0', ',{"a":{}}', ']}'),
    fill('{"x":"', '\\u00e4', '"}'),
    fill('{"a":0', ',"a":1e1', '}'),
    `{${Array.from({ length: Math.floor(bytes / 14) }, (_, i) => `"k${i}":1e${i % 9}`).join(',')}}`,
    fill('{"x":[""', ',"\\\\"', ']}'),
  ]
}

function outcome(responses: readonly TimedResponse[]) {
  const others = responses.filter(({ status }) => !ANSWERED.includes(status))
  return {
    notes: [`responses ${statusCounts(responses)}`],
    faults: others.length === 0 ? [] : [`unexpected responses ${statusCounts(others)}`],
  }
}
