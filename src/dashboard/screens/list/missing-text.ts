/** What a draft lacks before it can be published, in words. */
import { missingMembers } from '../../../models/incomplete.ts'
import type { Model } from '../../../models/schema.ts'
import type { StoredDocument } from '../../any-documents.ts'
import { fieldTitle } from '../../model-titles.ts'
import { locale, t } from '../../texts.ts'

/** Undefined where it is complete. */
export function lacksText(model: Model, document: StoredDocument): string | undefined {
  const missing = missingMembers(model, document)
  return missing.length === 0 ? undefined : t('bulk.lacks', { fields: new Intl.ListFormat(locale()).format(missing.map(fieldTitle)) })
}
