/**
 * The templates of a sign-in mail: a text with its subject, and a page, checked at start. The code must be in the
 * subject, the text and the page and stand alone in each, for phones to find it; no other six digits may stand alone.
 * There are no links, nor text that mail programs turn into a link.
 */
import { describe } from '../../base/failure.ts'
import { codeRunsOf } from '../message/code-runs.ts'
import { parseTemplate, type Template } from './placeholders.ts'
import { templateError, type TemplateSource } from './template-error.ts'
import { readMarkup } from './template-markup.ts'

const SUBJECT_CHARS_MAX = 200
const NAMES = ['code', 'minutes', 'lifetime', 'appName'] as const

export type SignInTemplate = Template<(typeof NAMES)[number]>

export interface TextTemplate {
  readonly subject: SignInTemplate
  readonly text: SignInTemplate
}

/** Parses `Subject: …`, an empty line, and the text. Throws a TemplateError. */
export function readTextTemplate(source: TemplateSource): TextTemplate {
  const [head = '', gap = '', ...lines] = source.text.split('\n')
  const subject = /^subject:(.*)$/i.exec(head)?.[1]?.replaceAll('\t', ' ').trim() ?? ''
  if (subject === '' || subject.length > SUBJECT_CHARS_MAX) {
    const expected = `"Subject: …" of at most ${SUBJECT_CHARS_MAX} characters`
    throw templateError(source, 0, `expected ${expected}, found ${describe(head)}`)
  }
  if (gap.trim() !== '') {
    throw templateError(source, head.length + 1, `expected an empty line after the subject, found ${describe(gap)}`)
  }
  const { file } = source
  return {
    subject: readPlain({ file, text: subject }, 'subject'),
    text: readPlain({ file, text: lines.join('\n'), firstLine: 3 }, 'text'),
  }
}

export function readPageTemplate(source: TemplateSource): SignInTemplate {
  return readPart(source, 'page', readMarkup(source))
}

function readPlain(source: TemplateSource, part: string): SignInTemplate {
  return readPart(source, part, source.text)
}

/** `visible` is the text that a reader sees. */
function readPart(source: TemplateSource, part: string, visible: string): SignInTemplate {
  const template = parseTemplate(source, NAMES)
  assertCode(source, part, visible)
  const [run] = codeRunsOf(source.text.replace(PLACEHOLDER, '-'))
  if (run !== undefined) {
    const at = source.text.search(new RegExp(`(?<!\\w)${run}(?!\\w)`))
    throw templateError(source, at, `expected no six digits beside {{code}}, found "${run}": it looks like a code`)
  }
  const link = LINK.exec(source.text)
  if (link !== null) {
    throw templateError(source, link.index, `expected no link, found ${describe(link[0].trim())}`)
  }
  return template
}

const PLACEHOLDER = /\{\{[^{}]*\}\}/g
const CODE = /\{\{\s*code\s*\}\}/
/** A letter or digit that would join the code. */
const JOINED = /[\p{L}\p{N}_}]\{\{\s*code\s*\}\}|\{\{\s*code\s*\}\}[\p{L}\p{N}_{]/u
/** A digit that could make six digits with the minutes. */
const LONGER = /[\p{Nd}}]\{\{\s*minutes\s*\}\}|\{\{\s*minutes\s*\}\}[\p{Nd}{]/u
/** Text that mail programs turn into a link. Some do so with a bare domain, which may be the name of the service. */
const LINK = /[^\s<>]{0,20}:\/\/[^\s<>]{0,20}|\bwww\.[^\s<>]{0,20}|\b(?:mailto|tel|sms):[^\s<>]{1,20}/i

function assertCode(source: TemplateSource, part: string, visible: string): void {
  if (visible.search(CODE) === -1) {
    throw templateError(source, 0, `expected {{code}} in the ${part}, found none`)
  }
  const joined = JOINED.exec(source.text) ?? LONGER.exec(source.text)
  if (joined !== null) {
    throw templateError(source, joined.index, `expected a space around the placeholder, found ${describe(joined[0])}`)
  }
}
