/** What an import tells of itself: the rows that were refused, why it stopped, and the result. */
import { accessSync, closeSync, constants, existsSync, openSync, writeSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { describe } from '../../base/failure.ts'
import { systemReason } from '../../base/system-error.ts'
import type { ImportRequest } from './import-request.ts'
import type { ImportEnd, ImportState, Refusal } from './import-run.ts'
import { TransferFileError } from './transfer-file.ts'

/** Checks the path of --rejects without creating the file. Throws TransferFileError. */
export function requireRejectsPath({ rejects, resume }: ImportRequest): void {
  if (rejects === undefined) return
  try {
    accessSync(dirname(resolve(rejects)), constants.W_OK)
    if (!resume && existsSync(rejects)) throw Object.assign(new Error('The file is there'), { code: 'EEXIST' })
  } catch (error) {
    throw cannotWrite(rejects, error)
  }
}

/** The row itself stays out of the file: it may be about a person. */
export function openRejects({ rejects, resume }: ImportRequest) {
  if (rejects === undefined) return undefined
  let descriptor: number
  try {
    descriptor = openSync(rejects, resume ? 'a' : 'ax', 0o600)
  } catch (error) {
    throw cannotWrite(rejects, error)
  }
  return {
    write(refusals: readonly Refusal[]): void {
      writeSync(descriptor, refusals.map((refusal) => `${JSON.stringify(refusal)}\n`).join(''))
    },
    close: () => closeSync(descriptor),
  }
}

function cannotWrite(rejects: string, error: unknown): TransferFileError {
  return new TransferFileError(
    `Cannot write ${describe(rejects)}: ${systemReason(error)}: choose another name with --rejects`,
  )
}

export function stopText(
  shown: string,
  stop: { readonly line: number; readonly message: string },
  state: ImportState,
): string {
  const before =
    state.newIds === 0
      ? ''
      : `, and ${state.newIds} rows before it have no id: take what is before line ${stop.line} out of the mended file, lest they come twice`
  return `Cannot read ${describe(shown)}, line ${stop.line}: ${stop.message}; nothing from there on was imported${before}`
}

export function refusalText({ line, id, message }: Refusal): string {
  return `line ${line}${id === undefined ? '' : `, id ${describe(id)}`}: ${message}`
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
  { end, from, ms }: { readonly end: ImportEnd; readonly from: ImportState; readonly ms: number },
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
    complete: end.stop === undefined && !end.isInterrupted,
    fromLine: from.line,
    nextLine: line,
    seconds,
    rowsPerSecond: Math.round((total(end.state) - total(from)) / Math.max(0.001, seconds)),
  }
}

export function resultText({
  model,
  dryRun,
  inserted,
  replaced,
  unchanged,
  refused,
  seconds,
  rowsPerSecond,
}: ImportResult): string {
  const rows = `${inserted} inserted, ${replaced} replaced, ${unchanged} unchanged, ${refused} refused`
  return `${dryRun ? 'Would import' : 'Imported'} ${model}: ${rows}, in ${seconds.toFixed(1)} s (${rowsPerSecond} rows/s)\n`
}
