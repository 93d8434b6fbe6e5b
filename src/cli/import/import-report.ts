/** What an import prints: the rejected rows, why it stopped, and the result. */
import { accessSync, closeSync, constants, existsSync, openSync, statSync, writeSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { counted } from '../../base/counted.ts'
import { describe } from '../../base/failure.ts'
import type { RejectedRow } from '../../content/transfer/import-batch.ts'
import type { KnownRow } from '../../content/transfer/import-dry-run.ts'
import type { Model } from '../../models/schema.ts'
import { systemReason } from '../../base/system-error.ts'
import { UsageError } from '../command.ts'
import { FILE_EXISTS, TransferFileError } from '../documents/transfer-file.ts'
import type { ImportRequest } from './import-request.ts'
import type { ImportEnd, ImportState } from './import-writer.ts'

/** Rejected rows that are shown; --rejects has them all. */
const REJECTS_SHOWN = 20

/** Checks the path of --rejects without creating the file. Throws UsageError and TransferFileError. */
export function requireRejectsPath({ file, rejects, resume }: ImportRequest): void {
  if (rejects === undefined) return
  try {
    if (file !== undefined && isSameFile(file, rejects)) {
      throw new UsageError(`Cannot write --rejects ${describe(rejects)}: it is the file that is imported: choose another name`)
    }
    accessSync(dirname(resolve(rejects)), constants.W_OK)
    if (!resume && existsSync(rejects)) throw FILE_EXISTS
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw cannotWrite(rejects, error)
  }
}

/** Also through a link of either kind. */
function isSameFile(one: string, other: string): boolean {
  const [first, second] = [one, other].map((path) => statSync(path, { bigint: true, throwIfNoEntry: false }))
  return first !== undefined && second !== undefined && first.dev === second.dev && first.ino === second.ino
}

/** Shows the first rejected rows and writes all to --rejects, without the rows, which may be about a person. */
export function openRejectReport({ rejects, resume }: ImportRequest, show: (text: string) => void) {
  const descriptor = rejects === undefined ? undefined : openRejects(rejects, resume)
  let [count, sameAddress] = [0, 0]
  return {
    /** How many rows of a dry run have the address of a stored document or an earlier row. */
    sameAddress: () => sameAddress,
    addKnown(model: Model, rows: readonly KnownRow[]): void {
      for (const row of rows.slice(0, Math.max(0, REJECTS_SHOWN - sameAddress))) show(knownText(model, row))
      sameAddress += rows.length
    },
    add(rows: readonly RejectedRow[]): void {
      if (descriptor !== undefined) {
        writeSync(descriptor, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
      }
      for (const row of rows.slice(0, Math.max(0, REJECTS_SHOWN - count))) show(rejectText(row))
      count += rows.length
    },
    showRest(): void {
      if (count <= REJECTS_SHOWN) return
      show(`and ${count - REJECTS_SHOWN} more rows were rejected${rejects === undefined ? ': see --rejects' : ''}\n`)
    },
    close(): void {
      if (descriptor !== undefined) closeSync(descriptor)
    },
  }
}

function openRejects(rejects: string, resume: boolean): number {
  try {
    return openSync(rejects, resume ? 'a' : 'ax', 0o600)
  } catch (error) {
    throw cannotWrite(rejects, error)
  }
}

function cannotWrite(rejects: string, error: unknown): TransferFileError {
  return new TransferFileError(
    `Cannot write ${describe(rejects)}: ${systemReason(error)}: choose another name with --rejects`,
  )
}

function knownText({ name }: Model, { line, id, title, earlierLine }: KnownRow): string {
  if (earlierLine !== null) return `line ${line}: line ${earlierLine} has this address already: ${describe(title)}\n`
  return `line ${line}: the ${name} ${describe(id)} has this address already: ${describe(title)}\n`
}

function rejectText({ line, id, message }: RejectedRow): string {
  return `line ${line}${id === undefined ? '' : `, id ${describe(id)}`}: ${message}\n`
}

export function stopText(shown: string, { line, message }: NonNullable<ImportEnd['stop']>, { newIds, isDryRun }: Pick<ImportState, 'newIds'> & Pick<ImportRequest, 'isDryRun'>): string {
  const stopped = `Cannot read ${describe(shown)}, line ${line}: ${message}; nothing from there on was`
  if (isDryRun) return `${stopped} checked`
  const before =
    newIds === 0
      ? ''
      : `, and ${counted(newIds, 'row before it has', 'rows before it have')} no id: take what is before line ${line} out of the fixed file, or it will be imported twice`
  return `${stopped} imported${before}`
}

/** What is printed with --json; the members are part of the interface. */
interface ImportResult {
  readonly model: string
  readonly dryRun: boolean
  /** Of this run and, after --resume, those before it. */
  readonly inserted: number
  readonly replaced: number
  readonly unchanged: number
  readonly refused: number
  /** Of a dry run: how many rows have the address of a stored document or an earlier row. */
  readonly sameAddress?: number
  /** Whether all of the file was read. */
  readonly complete: boolean
  /** Where this run began and where the next would. */
  readonly fromLine: number
  readonly nextLine: number
  readonly seconds: number
  readonly rowsPerSecond: number
}

export function resultOf(
  { model, isDryRun }: ImportRequest,
  { end, from, ms, sameAddress }: { readonly end: ImportEnd; readonly from: ImportState; readonly ms: number; readonly sameAddress: number },
): ImportResult {
  const { inserted, replaced, unchanged, refused, line } = end.state
  const total = (state: ImportState): number => state.inserted + state.replaced + state.unchanged + state.refused
  const seconds = ms / 1000
  return {
    model: model.name,
    dryRun: isDryRun,
    inserted,
    replaced,
    unchanged,
    refused,
    ...(isDryRun && { sameAddress }),
    complete: end.stop === undefined && !end.isInterrupted,
    fromLine: from.line,
    nextLine: line,
    seconds,
    rowsPerSecond: Math.round((total(end.state) - total(from)) / Math.max(0.001, seconds)),
  }
}

export function resultText(result: ImportResult): string {
  const { model, dryRun, inserted, replaced, unchanged, refused, sameAddress = 0, seconds, rowsPerSecond } = result
  const rows = `${inserted} inserted, ${replaced} replaced, ${unchanged} unchanged, ${refused} rejected${sameAddress > 0 ? `, ${sameAddress} with an address that is in use already` : ''}`
  return `${dryRun ? 'Would import' : 'Imported'} ${model}: ${rows}, in ${seconds.toFixed(1)} s (${rowsPerSecond} rows/s)\n`
}
