/** The checker of rows for the command, which also takes accounts. */
import { readEmail } from '../../auth/accounts.ts'
import { guestEmail, LOCAL_ADMIN_EMAIL } from '../../models/guest.ts'
import type { RowFormat } from '../../content/transfer/import-rows.ts'
import { createRowChecker, type RowChecker, type RowSettings } from '../../content/transfer/row-checker.ts'
import { ROW_BYTES_MAX } from '../documents/transfer-file.ts'

export function importChecker(format: RowFormat, settings: Pick<RowSettings, 'model' | 'keep' | 'incomplete' | 'asDrafts' | 'date'>): RowChecker {
  return createRowChecker(format, { ...settings, readEmail: readImportedEmail, rowBytesMax: ROW_BYTES_MAX })
}

/** Guests, and the administrator of an app, keep the addresses that stand in for theirs. */
function readImportedEmail(value: unknown, id: string): string {
  return value === guestEmail(id) || value === LOCAL_ADMIN_EMAIL ? value : readEmail(value)
}
