/** Documents as large as they may be, in pages of a hundred. */
import type { Attack } from './attack.ts'
import { dataPath, inParallel, statusCounts, type TimedResponse } from './loopback-client.ts'

const DOCUMENTS = 40
const DOCUMENT_CHARS = 1_000_000
/** 8 MiB, and the document that passes it. */
const PAGE_BYTES_MAX = 8 * 1024 * 1024 + 2 * 1024 * 1024
const READERS = 6

interface Page {
  readonly data: { readonly items: readonly { readonly id: string }[]; readonly cursor: string | null }
}

export const largePages: Attack = {
  name: 'large-pages',
  tries: 'a publisher stores 40 documents of 1 MB, and six users read pages of 100 of them',
  // Six pages of 8 MiB are under way at a time, each as rows, as text and as bytes.
  limits: { othersMedianMs: 60, othersP99Ms: 600, growthMib: 350 },
  async run(site) {
    const { token } = site.publisher
    const path = dataPath({ model: 'headline' }, `/${site.headlineIds[0]}`)
    const sample = (JSON.parse((await site.send({ path, token })).text) as { data: Record<string, unknown> }).data
    // Archived, so that the feeds of others, whose times are compared, stay as they are.
    const body = { ...sample, status: 'archived', body: 'x'.repeat(DOCUMENT_CHARS) }
    const filter = { status: 'archived', 'topic.id': (sample['topic'] as { readonly id: string }).id }
    const list = { model: 'headline', filter, sort: 'updatedAt:desc', limit: '100' }
    const ids: string[] = []
    const faults: string[] = []
    for (let i = 0; i < DOCUMENTS; i++) {
      const { status, text } = await site.send({ method: 'POST', path: dataPath({ model: 'headline' }), body, token })
      if (status === 201) ids.push((JSON.parse(text) as { data: { id: string } }).data.id)
      else faults.push(`a publisher could not write: ${status}`)
    }
    const seen = await inParallel(READERS, async () => {
      const reader = site.reader()
      const items: string[] = []
      let [cursor, longest]: [string | null, number] = [null, 0]
      do {
        const query = { ...list, ...(cursor === null ? {} : { cursor }) }
        const { status, text } = await site.send({ path: dataPath(query), token: reader.token, from: site.newAddress() })
        if (status !== 200) return { items, longest, failure: status === 0 ? text : String(status) }
        longest = Math.max(longest, text.length)
        const { data } = JSON.parse(text) as Page
        items.push(...data.items.map(({ id }) => id))
        cursor = data.cursor
      } while (cursor !== null)
      return { items, longest, failure: undefined }
    })
    for (const { items, longest, failure } of seen) {
      if (failure !== undefined) faults.push(`a page failed: ${failure}`)
      else if (new Set(items).size !== items.length) faults.push('pages repeat documents')
      else if (!ids.every((id) => items.includes(id))) faults.push(`pages lack some of ${ids.length} documents`)
      if (longest > PAGE_BYTES_MAX) faults.push(`a page of ${longest} bytes, wanted at most ${PAGE_BYTES_MAX}`)
    }
    // One after the other, so that a service that has suffered is rid of them, too.
    const removed: TimedResponse[] = []
    for (const id of ids)
      removed.push(await site.send({ method: 'DELETE', path: dataPath({ model: 'headline' }, `/${id}`), token }))
    const longest = Math.max(...seen.map((one) => one.longest))
    return { notes: [`longest page ${longest} bytes; removed ${statusCounts(removed)}`], faults: [...new Set(faults)] }
  },
}
