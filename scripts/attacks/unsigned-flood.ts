/** Requests of strangers at full speed: no account, no secret. */
import type { Attack } from './attack.ts'
import { inParallel, statusCounts, type TimedResponse } from './loopback-client.ts'

const FLOOD_MS = 5_000
const FLOOD_MS_QUICK = 1_500

export const floodUnsigned: Attack = {
  name: 'flood-unsigned',
  tries: '32 connections request pages, the API description and unknown paths, and send bad tokens, at full speed',
  isQuick: true,
  // The service has one core for requests, which such a flood may fill: others queue behind 32 of them.
  limits: { othersMedianMs: 100, othersP99Ms: 600, growthMib: 150 },
  async run(site) {
    const files = ['/', '/docs', '/api/v1/openapi.json', '/healthz']
    const paths = [...files, '/nowhere', '/api/v1/auth/me', '/api/v1/data?model=x']
    const until = performance.now() + (site.isQuick ? FLOOD_MS_QUICK : FLOOD_MS)
    const token = `${site.publisher.token.slice(0, -5)}AAAAA`
    const responses = await inParallel(32, async (i) => {
      const from = site.newAddress()
      const counts: Pick<TimedResponse, 'status' | 'text'>[] = []
      while (performance.now() < until) {
        const { status, text } = await site.send({ path: paths[i % paths.length] as string, token, from })
        counts.push({ status, text: status === 0 ? text : '' })
      }
      return counts
    })
    const all = responses.flat()
    const failed = all.filter(({ status }) => status === 0 || status >= 500)
    return {
      notes: [statusCounts(all)],
      faults: failed.length === 0 ? [] : [`the flood itself met ${statusCounts(failed)}`],
    }
  },
}
