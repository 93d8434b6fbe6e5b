/** What an editor fills in from a choice: the country of a headline from its source. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { proposals } from '../../src/dashboard/screens/editor/field-proposals.ts'
import { headline } from '../../src/models/headline.ts'
import { topic } from '../../src/models/topic.ts'

const [ICELAND, FRANCE, CHAD] = ['is', 'fr', 'td'].map((id) => ({ id, name: id }))
const source = (headquarters: unknown) => ({ id: 's', headquarters }) as never

it('proposes where nothing was chosen, and follows another choice until the reader has chosen', () => {
  const propose = proposals(headline)
  assert.deepEqual(propose('source', { source: source(ICELAND) }), { eventCountry: ICELAND })
  assert.deepEqual(propose('source', { source: source(FRANCE), eventCountry: ICELAND as never }), { eventCountry: FRANCE })
  assert.equal(propose('source', { source: source(ICELAND), eventCountry: CHAD as never }), undefined, 'the reader has chosen')
  assert.equal(propose('source', { source: source(FRANCE), eventCountry: FRANCE as never }), undefined, 'it is there')
})

it('proposes nothing from what has nothing, or is no choice', () => {
  const propose = proposals(headline)
  for (const [path, members] of [
    ['title', { title: 'x' }],
    ['source', {}],
    ['source', { source: source(undefined) }],
    ['source', { source: source('text') }],
    ['topic', { topic: { id: 't' } as never }],
  ] as const) assert.equal(propose(path, members), undefined)
  assert.equal(proposals(topic)('name', { name: 'x' }), undefined)
})
