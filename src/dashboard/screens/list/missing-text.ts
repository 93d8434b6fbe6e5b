/** What a draft lacks before it can be published. */
import { missingMembers } from '../../../models/incomplete.ts'
import type { Model } from '../../../models/schema.ts'
import type { Members, StoredDocument } from '../../any-documents.ts'
import { fieldTitle } from '../../model-titles.ts'
import { locale, t } from '../../texts.ts'

/** In words; undefined where it is complete, but for texts that may be empty. */
export function lacksText(model: Model, document: StoredDocument): string | undefined {
  const missing = missingMembers(model, document).filter((name) => !mayBeEmpty(model, name))
  return missing.length === 0 ? undefined : t('bulk.lacks', { fields: new Intl.ListFormat(locale()).format(missing.map(fieldTitle)) })
}

/** Those texts, empty, as the editor sends them: a draft of a pasted line has none of them. */
export function emptyTexts(model: Model, document: StoredDocument): Members {
  return Object.fromEntries(missingMembers(model, document).flatMap((name) => (mayBeEmpty(model, name) ? [[name, '']] : [])))
}

function mayBeEmpty({ fields }: Model, name: string): boolean {
  const field = fields[name]
  return field?.kind === 'text' && field.blank
}
