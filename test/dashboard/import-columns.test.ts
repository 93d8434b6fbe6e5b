/** The titles of the columns that those of an imported file are mapped to. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { columnsMeant, columnTitles } from '../../src/dashboard/screens/operations/import-columns.ts'
import { t } from '../../src/dashboard/texts.ts'

it('are those of the fields, from the outer to the inner, with the path where two are called alike', () => {
  const paths = ['title', 'source.name', 'source.headquarters.isoCode', 'topic.name', 'imageUrl', 'image_url', '$more']
  const titles = ['Title', 'Source › Name', 'Source › Headquarters › Iso code', 'Topic › Name', 'Image url (imageUrl)', 'Image url (image_url)', t('editor.extrasJson')]
  assert.deepEqual([...columnTitles(paths)], paths.map((path, i) => [path, titles[i]]))
})

it('a name of a file means the column with its title, a reference means its name, and no column is meant twice', () => {
  const columns = ['title', 'excerpt', 'source.id', 'source.name', 'source.language.name', 'imageUrl']
  const header = [
    ...[{ name: ' source', column: '' }, { name: 'Source › Name', column: '' }, { name: 'TITLE', column: '' }, { name: 'Headline', column: 'title' }],
    ...[{ name: 'Source › Language › Name', column: '' }, { name: 'Price', column: '' }, { name: 'Excerpt', column: 'excerpt' }],
  ]
  assert.deepEqual(columnsMeant(header, columns), ['source.name', '', '', 'title', 'source.language.name', '', 'excerpt'])
})
