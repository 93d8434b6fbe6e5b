/**
 * The operator's own templates: the files `sign-in.<language>.txt` and `sign-in.<language>.html` of a directory. A
 * misspelt name is an error: the file would be ignored. Hidden files and the backups of editors (`…~`) are skipped.
 */
import { isUtf8 } from 'node:buffer'
import { opendirSync } from 'node:fs'
import { join } from 'node:path'
import { describe } from '../../base/failure.ts'
import { didYouMean } from '../../base/nearest.ts'
import { readRegularFile } from '../../base/regular-file.ts'
import { errorCode, systemReason } from '../../base/system-error.ts'
import { codeRunsOf } from '../message/code-runs.ts'
import { templateError, TemplateError, type TemplateSource } from './template-error.ts'

const FILES_MAX = 200
const FILE_BYTES_MAX = 64 * 1024
const TAG_CHARS_MAX = 35

export interface TemplateFile extends TemplateSource {
  /** In the canonical case of RFC 5646, such as `pt-BR`. */
  readonly language: string
  readonly kind: 'txt' | 'html'
}

/** Reads the directory; one that is not there has no files. Throws a TemplateError that names the file. */
export function readTemplateFiles(directory: string): readonly TemplateFile[] {
  const files = namesIn(directory).map((name) => {
    const file = join(directory, name)
    return { ...partsOf(name, file), file, text: readText(file) }
  })
  for (const [index, { file, language, kind }] of files.entries()) {
    const twin = files.slice(0, index).find((one) => one.language === language && one.kind === kind)
    if (twin !== undefined) {
      throw new TemplateError(
        `Cannot use template "${file}": expected one file for ${language}, found "${twin.file}" too`,
      )
    }
  }
  return files
}

function namesIn(directory: string): readonly string[] {
  const names: string[] = []
  try {
    using entries = opendirSync(directory)
    for (let entry = entries.readSync(); entry !== null; entry = entries.readSync()) {
      if (entry.name.startsWith('.') || entry.name.endsWith('~')) continue
      names.push(entry.name)
      if (names.length > FILES_MAX) break
    }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return []
    throw new TemplateError(`Cannot read templates in "${directory}": ${systemReason(error)}`, { cause: error })
  }
  if (names.length > FILES_MAX) {
    throw new TemplateError(`Cannot read templates in "${directory}": expected at most ${FILES_MAX} files, found more`)
  }
  return names.sort()
}

function partsOf(name: string, file: string): Pick<TemplateFile, 'language' | 'kind'> {
  const [, tag = '', kind = ''] = /^sign-in\.([A-Za-z0-9-]+)\.(txt|html)$/.exec(name) ?? []
  const language = canonicalTag(tag)
  if (language !== undefined && (kind === 'txt' || kind === 'html')) return { language, kind }
  // Suggests a name for `signin.de.txt` or `sign-in.de.htm`, not for names that are too different.
  const near = ['txt', 'html'].map((ending) => `sign-in.${canonicalTag(name.split('.')[1] ?? '') ?? 'en'}.${ending}`)
  const expected = 'a name such as sign-in.de.txt or sign-in.pt-BR.html'
  throw new TemplateError(
    `Cannot use template "${file}": expected ${expected}, found ${describe(name)}${didYouMean(name, near)}`,
  )
}

function canonicalTag(tag: string): string | undefined {
  // The tag goes into a header, where it must not look like a code.
  if (tag.length > TAG_CHARS_MAX || codeRunsOf(tag).length > 0) return undefined
  try {
    return Intl.getCanonicalLocales(tag)[0]
  } catch {
    return undefined
  }
}

function readText(file: string): string {
  const bytes = readBounded(file)
  if (!isUtf8(bytes)) throw notUtf8(file, bytes)
  const text = bytes
    .toString()
    .replace(/^\ufeff/, '')
    .replace(/\r\n?/g, '\n')
  const control = /(?![\n\t])\p{Cc}/u.exec(text)
  if (control !== null) {
    const found = `U+${(control[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
    throw templateError({ file, text }, control.index, `expected no control characters, found ${found}`)
  }
  return text
}

function readBounded(file: string): Buffer {
  try {
    return readRegularFile(file, FILE_BYTES_MAX)
  } catch (error) {
    throw new TemplateError(`Cannot use template "${file}": ${systemReason(error)}`, { cause: error })
  }
}

/** A multi-byte character contains no line feed, so each line can be checked by itself. */
function notUtf8(file: string, bytes: Buffer): TemplateError {
  const lines = bytes.toString('latin1').split('\n')
  const line = lines.findIndex((one) => !isUtf8(Buffer.from(one, 'latin1')))
  return new TemplateError(`Cannot use template "${file}", line ${line + 1}: expected UTF-8, found another encoding`)
}
