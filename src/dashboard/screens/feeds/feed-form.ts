/** The fields of a feed, of its declaration: all, or those that a new one asks for. */
import { feed } from '../../../models/feed-model.ts'
import type { Shape } from '../../../models/schema.ts'
import type { Members } from '../../any-documents.ts'
import { textOr } from '../../texts.ts'
import { formFor, type Form } from '../../kit/form/form.ts'
import { pickerControl, type PickerParts } from '../../kit/form/picker.ts'
import { optionalPicker } from './optional-picker.ts'

/** What is shown of a feed beside its rules, which have an editor of their own. */
export const FEED_MEMBERS = ['title', 'address', 'siteUrl', 'source', 'topic', 'country', 'language', 'arrival', 'keepsPictures', 'paused', 'retentionDays', 'retentionItems', 'username'] as const
export const NEW_MEMBERS = ['title', 'topic', 'country', 'arrival', 'keepsPictures'] as const

/** `given` has the values that the form begins with. */
export function feedForm(members: readonly (typeof FEED_MEMBERS)[number][], given: Members, { onChange, ...parts }: PickerParts & { readonly onChange: (path: string) => void }): Form {
  const fields: Shape = Object.fromEntries(members.map((name) => [name, feed.fields[name]]))
  return formFor(fields, given, {
    onChange,
    about: (path) => textOr(`about.feed.${path}`, '') || undefined,
    picker: (model, options) => (options.path === 'source' ? pickerControl : optionalPicker)(model, options, parts),
  })
}
