/**
 * One language's sign-in mail as it is written: a text with its subject, and a page. Our own and the operator's are
 * read by the same rules, once, at start, so that no mistake waits for the first reader.
 *
 * The code must be in the subject, the text and the page, where phones look for it, and stand alone in each; no other
 * six digits may stand alone. Nothing can be clicked: what mail programs turn into a link by themselves counts too.
 */
import { describe } from '../../base/failure.ts'
import { codeRunsOf } from '../message/code-runs.ts'
import { parseTemplate, type Template } from './placeholders.ts'
import { refusedTemplate, type TemplateSource } from './template-error.ts'
import { readMarkup } from './template-markup.ts'

const SUBJECT_CHARS_MAX = 200

export interface TextTemplate {
  readonly subject: Template
  readonly text: Template
}

/** Reads `Subject: …`, an empty line, and the text. Throws a TemplateError. */
export function readTextTemplate(source: TemplateSource): TextTemplate {
  const [head = '', gap = '', ...lines] = source.text.split('\n')
  const subject = /^subject:(.*)$/i.exec(head)?.[1]?.replaceAll('\t', ' ').trim() ?? ''
  if (subject === '' || subject.length > SUBJECT_CHARS_MAX) {
    const wanted = `"Subject: …" of at most ${SUBJECT_CHARS_MAX} characters`
    throw refusedTemplate(source, 0, `expected ${wanted}, found ${describe(head)}`)
  }
  if (gap.trim() !== '') {
    throw refusedTemplate(source, head.length + 1, `expected an empty line after the subject, found ${describe(gap)}`)
  }
  const { file } = source
  return {
    subject: readPlain({ file, text: subject }, 'subject'),
    text: readPlain({ file, text: lines.join('\n'), firstLine: 3 }, 'text'),
  }
}

/** Reads a page. Throws a TemplateError. */
export function readPageTemplate(source: TemplateSource): Template {
  return readAny(source, { part: 'page', seen: readMarkup(source) })
}

function readPlain(source: TemplateSource, part: string): Template {
  return readAny(source, { part, seen: source.text })
}

/** `seen` is what a reader sees of the source. */
function readAny(source: TemplateSource, { part, seen }: { readonly part: string; readonly seen: string }): Template {
  const template = parseTemplate(source)
  assertCode(source, part, seen)
  const [run] = codeRunsOf(source.text.replace(PLACEHOLDER, '-'))
  if (run !== undefined) {
    const at = source.text.search(new RegExp(`(?<!\\w)${run}(?!\\w)`))
    throw refusedTemplate(source, at, `expected no six digits beside {{code}}, found "${run}": it looks like a code`)
  }
  const link = LINK.exec(source.text)
  if (link !== null) {
    throw refusedTemplate(source, link.index, `expected nothing to click, found ${describe(link[0].trim())}`)
  }
  return template
}

const PLACEHOLDER = /\{\{[^{}]*\}\}/g
const CODE = /\{\{\s*code\s*\}\}/
/** What would make one word or one number with the code. */
const JOINED = /[\p{L}\p{N}_}]\{\{\s*code\s*\}\}|\{\{\s*code\s*\}\}[\p{L}\p{N}_{]/u
/** What could make six digits of a few. */
const LONGER = /[\p{Nd}}]\{\{\s*minutes\s*\}\}|\{\{\s*minutes\s*\}\}[\p{Nd}{]/u
/** What mail programs make a link of. A bare domain is one to some of them, but may be the name of the service. */
const LINK = /[^\s<>]{0,20}:\/\/[^\s<>]{0,20}|\bwww\.[^\s<>]{0,20}|\b(?:mailto|tel|sms):[^\s<>]{1,20}/i

function assertCode(source: TemplateSource, part: string, seen: string): void {
  if (seen.search(CODE) === -1) {
    throw refusedTemplate(source, 0, `expected {{code}} in the ${part}, found none`)
  }
  const joined = JOINED.exec(source.text) ?? LONGER.exec(source.text)
  if (joined !== null) {
    throw refusedTemplate(source, joined.index, `expected a space around the placeholder, found ${describe(joined[0])}`)
  }
}
