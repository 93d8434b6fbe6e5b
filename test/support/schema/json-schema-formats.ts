/** The formats of texts that our schemas name (json-schema-validation section 7.3). Others are an error. */

type Format = (text: string) => boolean

/** RFC 3339 section 5.6, with an offset of hours and minutes; the date must be in the calendar. */
const DATE_TIME = /^(\d{4})-(\d{2})-(\d{2})[Tt]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/
const NOT_IN_URI = /[\s<>"{}|\\^`\0-\x1f\x7f-\uffff]|%(?![0-9A-Fa-f]{2})/

const FORMATS: Readonly<Record<string, Format>> = {
  'date-time'(text) {
    const [, year, month, day] = DATE_TIME.exec(text) ?? []
    if (year === undefined) return false
    const [m, d] = [Number(month), Number(day)]
    return m >= 1 && m <= 12 && d >= 1 && d <= new Date(Date.UTC(Number(year), m, 0)).getUTCDate()
  },
  email: (text) => /^[^\s@]+@[^\s@]+$/.test(text),
  // RFC 9110 section 12.5.1.
  'media-range': (text) => /^(\*\/\*|[\w!#$%&'*+.^`|~-]+\/(\*|[\w!#$%&'*+.^`|~-]+))(\s*;.*)?$/.test(text),
  'uri-reference': (text) => !NOT_IN_URI.test(text),
}

/** What validators texts by the format. Throws an Error where we do not know it. */
export function isFormat(name: string): Format {
  const format = FORMATS[name]
  if (format === undefined) throw new Error(`Cannot validate the format "${name}"`)
  return format
}
