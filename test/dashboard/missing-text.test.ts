import assert from 'node:assert/strict'
import { it } from 'node:test'
import { emptyTexts } from '../../src/dashboard/screens/list/missing-text.ts'
import { headline } from '../../src/models/headline.ts'

// Bulk Publish refused each pasted line for its missing link, which the editor sends empty.
it('a draft of a pasted line gets the texts that may be empty, and keeps those that it has', () => {
  assert.deepEqual(emptyTexts(headline, { id: 'h', title: 'Ferry', excerpt: 'Daily' }), { url: '', imageUrl: '' })
  assert.deepEqual(emptyTexts(headline, { id: 'h', excerpt: '', url: '', imageUrl: '' }), {}, 'a title may not')
})
