/** Where the fields of a document stand in its editor: what is written in the middle, what it is filed under beside it. */
import type { Field, Model } from '../../../models/schema.ts'
import { pictureField } from '../../pictures.ts'

export interface EditorParts {
  /** What is written first, in large letters. */
  readonly title: string | undefined
  /** The text below it. */
  readonly lead: string | undefined
  readonly taxonomy: readonly string[]
  readonly picture: string | undefined
  readonly times: readonly string[]
}

const TITLES = ['title', 'name']
const LEADS = ['excerpt', 'description']

/** By the kinds of the fields, so that a new one has its place at once. What is in no part is written in the middle. */
export function editorParts(model: Model): EditorParts {
  const named = (wanted: (name: string, field: Field) => boolean): readonly string[] =>
    Object.entries(model.fields).flatMap(([name, field]) => (wanted(name, field) ? [name] : []))
  return {
    title: named((name) => TITLES.includes(name))[0],
    lead: named((name) => LEADS.includes(name))[0],
    taxonomy: named((name, { kind }) => kind === 'embedded' || (kind === 'choice' && name !== 'status')),
    picture: pictureField(model),
    times: named((_, field) => field.kind === 'optional' && field.of.kind === 'date'),
  }
}
