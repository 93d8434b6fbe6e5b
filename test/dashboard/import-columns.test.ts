/** The titles of the columns that those of an imported file are mapped to. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { columnTitles } from '../../src/dashboard/screens/operations/import-columns.ts'

it('are those of the fields, from the outer to the inner, with the path where two are called alike', () => {
  const paths = ['title', 'source.name', 'source.headquarters.isoCode', 'topic.name', 'imageUrl', 'image_url', '$more']
  const titles = ['Title', 'Source › Name', 'Source › Headquarters › Iso code', 'Topic › Name', 'Image url (imageUrl)', 'Image url (image_url)', '$more']
  assert.deepEqual([...columnTitles(paths)], paths.map((path, i) => [path, titles[i]]))
})
