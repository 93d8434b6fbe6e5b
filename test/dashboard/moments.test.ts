// isolated: it replaces a global
/** Times to come, as sentences of each language have them. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { momentText } from '../../src/dashboard/kit/moments.ts'
import { useLanguage } from '../../src/dashboard/texts.ts'

// The language of a page is that of its document.
Object.assign(globalThis, { document: { documentElement: {} } })

/** A Monday, shortly before midnight. */
const NOW = new Date(2026, 2, 2, 23, 30).getTime()
const said = (days: number): string => momentText(new Date(2026, 2, 2 + days, 8).toISOString(), NOW).replaceAll(/\s/g, ' ')

it('says a time by its day while that is near', async () => {
  await useLanguage('en')
  assert.deepEqual([0, 1, 2, 6, 7, 400, -1].map(said), [
    ...['today at 8:00 AM', 'tomorrow at 8:00 AM', 'Wednesday at 8:00 AM', 'Sunday at 8:00 AM'],
    ...['Mar 9 at 8:00 AM', 'Apr 6, 2027 at 8:00 AM', 'Mar 1 at 8:00 AM'],
  ])
})

for (const [language, text] of [['de', 'morgen um 08:00'], ['fr', 'demain à 08:00'], ['es', 'mañana a las 8:00']] as const) {
  it(`says “${text}” in ${language}`, async () => {
    await useLanguage(language)
    assert.equal(said(1), text)
  })
}
