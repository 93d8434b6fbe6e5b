/**
 * Dates in the forms that feeds have: RFC 822 and 2822, RFC 3339 and the rest of ISO 8601, asctime, dates with slashes,
 * seconds since 1970, and month names in the languages whose feeds write them. Without a zone, a date is in UTC.
 */
import { isoDate } from '../../base/dates.ts'
import { HOUR_MS, MINUTE_MS } from '../../base/duration.ts'

const DATE_CHARS_MAX = 100

/**
 * The date in ISO 8601 in UTC with milliseconds. Undefined where the text is no date, and where it is later than `now`:
 * such a date is a mistake of its writer.
 */
export function readDate(text: string | undefined, now: number): string | undefined {
  const written = text?.trim() ?? ''
  if (written === '' || written.length > DATE_CHARS_MAX) return undefined
  // Of a weekday and a date in numbers, the date alone.
  const numbers = written.replace(/^\p{L}+[.,]*\s+(?=\d{4}[-/])/u, '')
  const ms = secondsSince1970(written) ?? numericDate(numbers) ?? namedDate(written)
  return ms === undefined || Number.isNaN(ms) || ms > now || ms < YEAR_1_MS ? undefined : isoDate(ms)
}

const YEAR_1_MS = Date.parse('0001-01-01T00:00:00.000Z')

function secondsSince1970(text: string): number | undefined {
  if (/^\d{10}$/.test(text)) return Number(text) * 1_000
  return /^\d{13}$/.test(text) ? Number(text) : undefined
}

interface Day {
  readonly year: number
  /** From 1. */
  readonly month: number
  readonly day: number
}

/** Forms that begin with numbers, and what their groups are: year, month, day of the month, or day of the year. */
const FORMS: readonly (readonly [pattern: RegExp, groups: string])[] = [
  [/^(\d{4})[-/.](\d{1,2}|0\d\d)[-/.](\d{1,2})(?![-\d])/, 'ymd'],
  [/^(\d{4})(\d{2})(\d{2})(?!\d)/, 'ymd'],
  [/^(\d{4})-(\d{2})(?![-\d])/, 'ym'],
  [/^(\d{4})-(\d{3})(?!\d)/, 'yo'],
  [/^(\d{4})$/, 'y'],
  [/^(\d{2})-(\d{2})-(\d{2})(?!\d)/, 'ymd'],
  [/^(\d{2})(\d{2})(\d{2})(?!\d)/, 'ymd'],
  [/^(\d{2})(\d{3})(?!\d)/, 'yo'],
  [/^-(\d{2})-?(\d{2})(?!\d)/, 'ym'],
  [/^(\d{4})[년年]\s?(\d{1,2})[월月]\s?(\d{1,2})[일日]/, 'ymd'],
  [/^(\d{4})-(\p{L}{3,12})-(\d{1,2})/u, 'ymd'],
  [/^(\d{1,2})\.(\d{1,2})\.(\d{4})(?!\d)/, 'dmy'],
  [/^(\d{1,2})[/-](\d{1,2})[/-](\d{4})(?!\d)/, 'mdy'],
]

function numericDate(text: string): number | undefined {
  for (const [pattern, groups] of FORMS) {
    const match = pattern.exec(text)
    if (match === null) continue
    const partOf = (group: string): string | undefined => (groups.includes(group) ? match[groups.indexOf(group) + 1] : undefined)
    let [month, day] = [Number(partOf('m') ?? 1), Number(partOf('d') ?? 1)]
    if (groups.includes('o')) [month, day] = [1, Number(partOf('o'))]
    else if (Number.isNaN(month)) month = monthOf(partOf('m') ?? '') ?? Number.NaN
    // 25/12/2024 can only be a day first.
    if (groups === 'mdy' && month > 12) [month, day] = [day, month]
    const date = { year: yearOf(partOf('y') ?? ''), month, day }
    // Korean servers write dates in words without a zone.
    const zone = /[년일]|오[전후]/.test(text) ? 9 * HOUR_MS : 0
    return withTime(dayMs(date, groups.includes('o') ? 366 : undefined), text.slice(match[0].length), zone)
  }
  return undefined
}

/** `T10:14:55.12Z`, ` 10:14 PM EST`, or nothing. */
const TIME = /^[Tt,\s]{0,5}(오전|오후)?\s?(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:\s{0,3}([ap])\.?m\b\.?)?/i
const COMPACT_TIME = /^T(\d{2})(\d{2})(?:(\d{2})(?:[.,](\d{1,9}))?)?/

function withTime(day: number, rest: string, zoneDefault: number): number {
  const [time = '', korean, hours, minutes, seconds, fraction, half] = TIME.exec(rest) ?? []
  const zone = (length: number): number => zoneMs(rest.slice(length), zoneDefault)
  if (hours !== undefined) return day + timeMs({ hours, minutes, seconds, fraction, half: half ?? HALVES[korean ?? ''] }) - zone(time.length)
  const [compact = '', hour, minute, second, parts] = COMPACT_TIME.exec(rest) ?? []
  return day + (hour === undefined ? 0 : timeMs({ hours: hour, minutes: minute, seconds: second, fraction: parts })) - zone(compact.length)
}

const HALVES: Readonly<Record<string, string>> = { 오전: 'a', 오후: 'p' }

interface Time {
  readonly hours?: string | undefined
  readonly minutes?: string | undefined
  readonly seconds?: string | undefined
  readonly fraction?: string | undefined
  /** `a` before noon, `p` after it. */
  readonly half?: string | undefined
}

/** NaN where there is no such time. A leap second is the one before it. */
function timeMs({ hours = '0', minutes = '0', seconds = '0', fraction = '', half }: Time): number {
  const [written, minute, second] = [Number(hours), Number(minutes), Number(seconds)]
  if (written > 24 || minute > 59 || second > 60 || (written === 24 && minute + second > 0)) return Number.NaN
  const hour = half === undefined || written > 12 ? written : (written % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
  return hour * HOUR_MS + minute * MINUTE_MS + Math.min(second, 59) * 1_000 + Number(fraction.slice(0, 3).padEnd(3, '0'))
}

/** NaN where there is no such day. */
function dayMs({ year, month, day }: Day, dayMax?: number): number {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  if (!(month >= 1 && month <= 12 && day >= 1)) return Number.NaN
  const isReal = dayMax === undefined ? date.getUTCMonth() === month - 1 : day <= dayMax
  return isReal ? date.getTime() : Number.NaN
}

/** Feeds began in 1997: two digits from 90 on are of the last century. */
function yearOf(text: string): number {
  const year = Number(text)
  return text.length === 2 ? year + (year < 90 ? 2_000 : 1_900) : year
}

/** A time within a date of words. */
const CLOCK = /^(\d{1,2})[:.](\d{2})(?:[:.](\d{2})(?:[.,](\d{1,9}))?)?([ap]\.?m\.?)?$/i
const NUMBER = /^(\d{1,4})(?:st|nd|rd|th|\.|er|º|ª)?$/i
const HALF = /^([ap])\.?m\.?$/i

/** Dates with words, in any order that can be told apart. */
function namedDate(text: string): number | undefined {
  const numbers: string[] = []
  let [month, time, zone] = [undefined as number | undefined, undefined as Time | undefined, 0]
  const words = text.replace(/\([^()]*\)/g, ' ').replace(/(?<=\d{1,2})-(\p{L}{3,12}\.?)-(?=\d)/u, ' $1 ')
  for (const word of words.split(/[\s,]+/)) {
    const [, hours, minutes, seconds, fraction, half] = CLOCK.exec(word) ?? []
    const [, number] = NUMBER.exec(word) ?? []
    if (hours !== undefined && time === undefined) time = { hours, minutes, seconds, fraction, half: half?.[0] }
    else if (number !== undefined) numbers.push(number)
    else if (time !== undefined && HALF.test(word)) time = { ...time, half: word[0] }
    else if (time === undefined && /\p{L}/u.test(word) && !/\d/.test(word)) month = monthOf(word) ?? month
    else if (time !== undefined && word !== '') {
      // A month behind the time, or a zone; `GMT` behind `+0100` repeats it.
      const late = month === undefined ? monthOf(word) : undefined
      month ??= late
      if (late === undefined && (zone === 0 || !/^(?:GMT|UTC?|Z)$/i.test(word))) zone = zoneMs(word, 0)
    } else if (word !== '') return undefined
  }
  const yearAt = numbers.findIndex(({ length }) => length >= 3)
  const [year, day] = yearAt === 0 ? [numbers[0], numbers[1]] : [numbers[1], numbers[0]]
  if (year === undefined || day === undefined || month === undefined || numbers.length > 2) return undefined
  return dayMs({ year: yearOf(year), month, day: Number(day) }) + timeMs(time ?? {}) - zone
}

/** The beginnings of month names without accents: in English, and where they differ in other languages. The longest counts. */
const MONTHS: readonly string[] = [
  'jan ene gen ian led tam ιαν янв січ sty oca',
  'feb fev fab uno hel φεβ фев лют lut sub',
  'mar mrt bre maa μαρ мар бер',
  'apr avr abr dub huh απρ апр кві kwi nis',
  'may mai maj mei mag kve tou μαι маи мая тра',
  'jun juin giu iun cerven kes ιουν июн чер cze haz',
  'jul juil lug iul cervenec cervenc hei ιουλ июл лип lip tem',
  'aug aou ago agu srp elo αυγ авг сер sie',
  'sep set sze zar syy σεπ сен вер wrz eyl',
  'oct okt out ott rij lok οκτ окт жов paz eki',
  'nov noi marras νοε ноя лис lis kas',
  'dec dez dic des pro jou δεκ дек гру gru ara',
]
const MONTH_STEMS: readonly (readonly [stem: string, month: number])[] = MONTHS.flatMap((stems, i) =>
  stems.split(' ').map((stem) => [stem, i + 1] as const),
).toSorted(([a], [b]) => b.length - a.length)

function monthOf(word: string): number | undefined {
  const plain = word.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
  return MONTH_STEMS.find(([stem]) => plain.startsWith(stem))?.[1]
}

/** Hours from UTC. Names that mean several zones are those of RFC 822, or of the country with the most feeds. */
const ZONES: ReadonlyMap<string, number> = new Map(Object.entries({
  ...{ z: 0, ut: 0, utc: 0, gmt: 0, wet: 0, est: -5, edt: -4, et: -5, cst: -6, cdt: -5, ct: -6, mst: -7, mdt: -6, mt: -7 },
  ...{ pst: -8, pdt: -7, pt: -8, ast: -4, adt: -3, at: -4, akst: -9, akdt: -8, hst: -10, nst: -3.5, ndt: -2.5, brt: -3, art: -3 },
  ...{ west: 1, bst: 1, cet: 1, met: 1, mez: 1, cest: 2, mest: 2, mesz: 2, eet: 2, eest: 3, msk: 3, msd: 4, ist: 5.5, sgt: 8 },
  ...{ hkt: 8, awst: 8, jst: 9, kst: 9, acst: 9.5, aest: 10, aedt: 11, nzst: 12, nzdt: 13 },
}))

/** NaN where the text is no zone. A name that is unknown means UTC. */
function zoneMs(text: string, zoneDefault: number): number {
  const zone = text.trim()
  if (zone === '') return zoneDefault
  const [, sign, hours = '', minutes = '0'] = /^(?:GMT|UTC?|Z)?\s?([+-])(\d{1,2})(?::?(\d{2}))?(?:\s\(?[a-z]{1,5}\)?)?$/i.exec(zone) ?? []
  if (sign !== undefined) {
    if (Number(hours) > 23 || Number(minutes) > 59) return Number.NaN
    return (sign === '-' ? -1 : 1) * (Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS)
  }
  if (!/^[\p{L}_/() ]{1,40}$/u.test(zone)) return Number.NaN
  return (ZONES.get(zone.replace(/^etc\//i, '').toLowerCase()) ?? 0) * HOUR_MS
}
