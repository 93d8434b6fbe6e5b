/**
 * Writes data/countries.json and data/languages.json.
 *
 * The codes are written here, because a seeded code is a promise and must not change with a library. The names come
 * from the Unicode CLDR data inside Node (Intl.DisplayNames), corrected below where CLDR serves another purpose than
 * a list that people search, or where it has no name at all.
 *
 *     node scripts/build-data.ts            writes both files
 *     node scripts/build-data.ts --check    writes nothing; exit code 1 when a file differs
 *
 * Another version of Node may carry other names: the files are those of the Node pinned in package.json.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const GENERATED_BY = 'scripts/build-data.ts'

/** ISO 3166-1 alpha-2, officially assigned. Reserved and user-assigned codes (EU, UK, XK) are not among them. */
const COUNTRY_CODES = `
  AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ
  CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR
  GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP
  KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT
  MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW
  SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ
  UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW`

/** ISO 639-1. Withdrawn codes (bh, in, iw, ji, jw, mo, sh) are not among them. */
const LANGUAGE_CODES = `
  aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo es
  et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki
  kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no
  nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te
  tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu`

/** CLDR abbreviates (St., &, U.S.) and adds notes for menus; these names are to be read, sorted and searched. */
const COUNTRY_NAMES: Readonly<Record<string, string>> = {
  CD: 'Democratic Republic of the Congo',
  CG: 'Republic of the Congo',
  CI: "Côte d'Ivoire",
  FM: 'Micronesia',
  HK: 'Hong Kong',
  MM: 'Myanmar',
  MO: 'Macao',
  PS: 'Palestine',
  SH: 'Saint Helena, Ascension and Tristan da Cunha',
  UM: 'United States Minor Outlying Islands',
}

/** CLDR folds these two into a neighbour (Filipino, Akan), and prefers Bangla. */
const LANGUAGE_NAMES: Readonly<Record<string, string>> = { bn: 'Bengali', tl: 'Tagalog', tw: 'Twi' }

/** Names of languages in themselves that CLDR lacks, shortens to an adjective, or gives for a neighbour. */
const NATIVE_NAMES: Readonly<Record<string, string>> = {
  aa: 'Qafaraf',
  ab: 'Аԥсуа бызшәа',
  // No name of the language in itself has come down to us.
  ae: 'Avesta',
  an: 'Aragonés',
  av: 'Магӏарул мацӏ',
  ay: 'Aymar aru',
  ba: 'Башҡорт теле',
  bi: 'Bislama',
  bo: 'བོད་ཡིག',
  ch: 'Chamoru',
  co: 'Corsu',
  cr: 'ᓀᐦᐃᔭᐍᐏᐣ',
  cu: 'Словѣньскъ ѩзыкъ',
  dv: 'ދިވެހިބަސް',
  ff: 'Fulfulde',
  fj: 'Vosa Vakaviti',
  gn: "Avañe'ẽ",
  ho: 'Hiri Motu',
  ht: 'Kreyòl ayisyen',
  hz: 'Otjiherero',
  id: 'Bahasa Indonesia',
  ik: 'Iñupiatun',
  io: 'Ido',
  iu: 'ᐃᓄᒃᑎᑐᑦ',
  jv: 'Basa Jawa',
  kg: 'Kikongo',
  ki: 'Gĩkũyũ',
  kj: 'Oshikwanyama',
  kr: 'Kanuri',
  ku: 'Kurdî',
  kv: 'Коми кыв',
  la: 'Latina',
  li: 'Limburgs',
  lu: 'Kiluba',
  mh: 'Kajin M̧ajeļ',
  ms: 'Bahasa Melayu',
  na: 'Dorerin Naoero',
  ng: 'Oshindonga',
  nr: 'isiNdebele',
  nv: 'Diné bizaad',
  ny: 'Chinyanja',
  oj: 'ᐊᓂᔑᓈᐯᒧᐎᓐ',
  om: 'Afaan Oromoo',
  pi: 'पालि',
  sa: 'संस्कृतम्',
  sm: 'Gagana Sāmoa',
  so: 'Af-Soomaali',
  ss: 'siSwati',
  tl: 'Tagalog',
  ts: 'Xitsonga',
  tt: 'Татар теле',
  tw: 'Twi',
  ty: 'Reo Tahiti',
  ve: 'Tshivenḓa',
  vo: 'Volapük',
  wa: 'Walon',
}

const regionNames = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
const languageNames = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })

function main(): number {
  const countries = codes(COUNTRY_CODES).map((isoCode) => ({ isoCode, name: countryName(isoCode) }))
  const languages = codes(LANGUAGE_CODES).map((code) => ({
    code,
    name: languageName(code),
    nativeName: nativeName(code),
  }))
  const files = {
    'countries.json': fileText('countries', countries),
    'languages.json': fileText('languages', languages),
  }
  const checkOnly = process.argv.includes('--check')
  let stale = 0
  for (const [name, text] of Object.entries(files)) {
    const path = fileURLToPath(new URL(`../data/${name}`, import.meta.url))
    if (checkOnly) {
      if (textOf(path) === text) continue
      stale++
      process.stderr.write(`data/${name} is not what ${GENERATED_BY} makes: run it once and commit the result\n`)
    } else {
      mkdirSync(fileURLToPath(new URL('../data', import.meta.url)), { recursive: true })
      writeFileSync(path, text)
    }
  }
  return stale === 0 ? 0 : 1
}

function codes(list: string): readonly string[] {
  return list.trim().split(/\s+/)
}

/** One record a line, so that a change of one name is a change of one line. */
function fileText(member: string, records: readonly object[]): string {
  const lines = records.map((record) => `    ${JSON.stringify(record)}`).join(',\n')
  return `{\n  "generatedBy": "${GENERATED_BY}",\n  "${member}": [\n${lines}\n  ]\n}\n`
}

function countryName(isoCode: string): string {
  const name = COUNTRY_NAMES[isoCode] ?? regionNames.of(isoCode)
  if (name === undefined) throw new Error(`No name of country ${isoCode} is known: add it to COUNTRY_NAMES`)
  return name
    .replaceAll(' & ', ' and ')
    .replace(/^St\. /, 'Saint ')
    .replace(/^U\.S\. /, 'United States ')
}

function languageName(code: string): string {
  const name = LANGUAGE_NAMES[code] ?? languageNames.of(code)
  if (name === undefined) throw new Error(`No name of language ${code} is known: add it to LANGUAGE_NAMES`)
  return name
}

function nativeName(code: string): string {
  const name = NATIVE_NAMES[code] ?? nativeNameInCldr(code)
  if (name === undefined) throw new Error(`No native name of language ${code} is known: add it to NATIVE_NAMES`)
  return atSentenceStart(name, code)
}

function nativeNameInCldr(code: string): string | undefined {
  // Without this question Intl falls back to the language of this machine.
  if (Intl.DisplayNames.supportedLocalesOf(code).length === 0) return undefined
  return new Intl.DisplayNames(code, { type: 'language', fallback: 'none' }).of(code)
}

/** Capitalises by the rules of the language: Turkish i becomes İ. Georgian has capitals, but only for whole words. */
function atSentenceStart(name: string, code: string): string {
  if (code === 'ka') return name
  const [first = ''] = name
  return first.toLocaleUpperCase(code) + name.slice(first.length)
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

process.exitCode = main()
