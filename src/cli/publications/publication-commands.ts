/** `dateline publication list`, `add`, `secret` and `remove`: what people read without an account. */
import { isoDate } from '../../base/dates.ts'
import { systemClock } from '../../base/clock.ts'
import { fail } from '../../base/failure.ts'
import { parseJson, type Json, type JsonObject } from '../../base/json.ts'
import type { Services } from '../../app/services.ts'
import { addressOfPublication } from '../../content/publications/publication-addresses.ts'
import { newPublicationSecret } from '../../content/publications/publication-secrets.ts'
import { documentsByTitle } from '../../content/reads/documents-by-title.ts'
import { checkPublication } from '../../content/rules/publication-rules.ts'
import { validateDocument } from '../../content/rules/validate.ts'
import { publication, type PublicationDocument } from '../../models/publication-model.ts'
import { OPERATOR } from '../../store/actor.ts'
import { JSON_LINES_FLAG, readTyped, type Arguments, type Command, type Operand } from '../command.ts'
import { DATA_SETTINGS } from '../data-settings.ts'
import { printTable, singleLine } from '../print-table.ts'
import { settingsInUse } from '../settings-in-use.ts'
import { withData } from '../with-services.ts'

const SETTINGS = [...DATA_SETTINGS, 'publicUrl'] as const
const NAME: Operand = { name: 'NAME', meaning: 'its name, as in /p/NAME/' }
/** By members of a publication. */
const TYPED = {
  ...{ name: NAME.name, title: '--title', description: '--description', language: '--language', filter: '--filter', sort: '--sort' },
  ...{ pageSize: '--size', members: '--members', contact: '--contact', rights: '--rights' },
}
const CALLER = { id: 'operator', class: 'dashboard' } as const

type Store = Services['store']

export const publicationListCommand: Command = {
  name: 'publication list',
  summary: 'list the publications that people read without an account',
  options: [JSON_LINES_FLAG],
  settings: SETTINGS,
  examples: ['dateline publication list'],
  run(args, terminal) {
    return withData(args, terminal, async (services, config) => {
      const { store } = services
      const all = await documentsByTitle(store, publication, CALLER)
      if (args.options.has('--json')) {
        terminal.stdout.write(all.map((one) => `${JSON.stringify(one)}\n`).join(''))
        return
      }
      const { publicUrl: site } = settingsInUse({ services, config, args, terminal })
      const rows = all.map(({ name, title, visibility, isPaused }) => {
        const address = visibility === 'secret' ? `${addressOfPublication(site, name)}SECRET/` : addressOfPublication(site, name)
        return [name, title, isPaused ? 'paused' : visibility, address]
      })
      terminal.stdout.write(printTable(['NAME', 'TITLE', 'OPEN TO', 'ADDRESS'], rows))
    })
  },
}

export const publicationAddCommand: Command = {
  name: 'publication add',
  summary: 'publish the headlines that a filter finds, and print the address',
  operands: [NAME],
  options: [
    { flag: '--title', value: 'TEXT', meaning: 'what readers call it' },
    { flag: '--description', value: 'TEXT', meaning: 'a sentence below the title (default: none)' },
    { flag: '--language', value: 'CODE', meaning: 'of the page and its dates (default: en)' },
    { flag: '--filter', value: 'JSON', meaning: 'which published headlines it has (default: {}, all)' },
    { flag: '--sort', value: 'SORT', meaning: 'publishedAt:desc, updatedAt:desc or title:asc (default: publishedAt:desc)' },
    { flag: '--size', value: 'N', meaning: 'headlines of a page and a feed, 20 to 200 (default: 30)' },
    { flag: '--members', value: 'LIST', meaning: 'what readers see: excerpt, imageUrl, source, topic, eventCountry, separated by commas (default: excerpt,source,topic)' },
    { flag: '--contact', value: 'TEXT', meaning: 'an e-mail address or a link (default: none)' },
    { flag: '--rights', value: 'TEXT', meaning: 'who owns it (default: none)' },
    { flag: '--secret', meaning: 'open it only to those who know its address, which is printed once' },
  ],
  settings: SETTINGS,
  examples: ['dateline publication add harbour-news --title "Harbour News" --filter \'{"topic.name":"Harbours"}\''],
  run(args, terminal) {
    const { value, isSecret } = readPublication(args)
    return withData(args, terminal, async (services, config) => {
      const { store, newId } = services
      const id = newId()
      const time = isoDate(systemClock())
      const document = { ...value, id, createdAt: time, updatedAt: time }
      await store.as(OPERATOR).insert(publication, { id, value: document })
      const secret = isSecret ? await newPublicationSecret(store, id, OPERATOR) : undefined
      const { publicUrl: site } = settingsInUse({ services, config, args, terminal })
      terminal.stdout.write(`${addressOfPublication(site, String(value['name']), secret)}\n`)
      if (isSecret && terminal.stderrIsTerminal) terminal.stderr.write('This address cannot be shown again\n')
    })
  },
}

export const publicationSecretCommand: Command = {
  name: 'publication secret',
  summary: 'give a publication a new secret address, which ends the former one, and print it',
  operands: [NAME],
  options: [],
  settings: SETTINGS,
  examples: ['dateline publication secret harbour-news'],
  run(args, terminal) {
    const [name = ''] = args.operands
    return withData(args, terminal, async (services, config) => {
      const { store } = services
      const { id, visibility } = named(store, name)
      const secret = await newPublicationSecret(store, id, OPERATOR)
      const { publicUrl: site } = settingsInUse({ services, config, args, terminal })
      terminal.stdout.write(`${addressOfPublication(site, name, secret)}\n`)
      if (visibility === 'public') terminal.stderr.write('It is public: the address works when its visibility is secret\n')
    })
  },
}

export const publicationRemoveCommand: Command = {
  name: 'publication remove',
  summary: 'delete a publication; its headlines stay',
  operands: [NAME],
  options: [],
  settings: DATA_SETTINGS,
  examples: ['dateline publication remove harbour-news'],
  run(args, terminal) {
    const [name = ''] = args.operands
    return withData(args, terminal, async ({ store }) => {
      const { id } = named(store, name)
      await store.as(OPERATOR).remove(publication, id)
      terminal.stdout.write(`Deleted ${name}\n`)
    })
  },
}

/** Throws UsageError for what the model does not take. */
function readPublication({ operands: [name = ''], options }: Arguments): { readonly value: JsonObject; readonly isSecret: boolean } {
  const size = options.get('--size') ?? '30'
  const isSecret = options.has('--secret')
  const body: Readonly<Record<string, Json>> = {
    name,
    title: options.get('--title') ?? name,
    description: options.get('--description') ?? '',
    language: options.get('--language') ?? 'en',
    filter: options.get('--filter') ?? '{}',
    sort: options.get('--sort') ?? 'publishedAt:desc',
    pageSize: /^\d+$/.test(size) ? Number(size) : size,
    members: (options.get('--members') ?? 'excerpt,source,topic').split(',').map((member) => member.trim()).filter((member) => member !== ''),
    visibility: isSecret ? 'secret' : 'public',
    isPaused: false,
    contact: options.get('--contact') ?? '',
    rights: options.get('--rights') ?? '',
  }
  return readTyped(() => {
    const value = validateDocument(publication, body, { generated: { id: '', createdAt: '', updatedAt: '' } })
    checkPublication(value)
    return { value, isSecret }
  }, TYPED)
}

function named(store: Store, name: string): PublicationDocument {
  const found = store.publications.publicationNamed(name)
  if (found === undefined) throw fail('notFound', `There is no publication "${singleLine(name)}": see "dateline publication list"`)
  return parseJson(found.text) as unknown as PublicationDocument
}
