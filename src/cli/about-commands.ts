/** What this program is and how it is set up: `config`, `openapi` and `version`. */
import { openApiFor } from '../api/openapi/openapi-of-model.ts'
import { COMMIT, VERSION } from '../base/version.ts'
import { readConfig } from '../config/read-config.ts'
import { SETTINGS } from '../config/settings.ts'
import { shownSettings } from '../config/shown-settings.ts'
import { SCHEMA } from '../store/schema/migrate.ts'
import { EXIT, JSON_FLAG, type Command } from './command.ts'
import { readModelOption } from './model-option.ts'
import { printTable } from './print-table.ts'

export const configCommand: Command = {
  name: 'config',
  summary: 'print the settings that "serve" would use with these flags, and where each comes from',
  options: [JSON_FLAG],
  settings: SETTINGS.map(({ name }) => name),
  examples: ['dateline config --config dateline.json', 'DATELINE_PORT=9000 dateline config --json'],
  async run({ options, settings }, { environment, stdout }) {
    // What cannot be used together is refused as "serve" would.
    readConfig(settings, environment)
    const all = shownSettings(settings, environment)
    if (options.has('--json')) {
      const rows = all.map(({ name, value, origin: from }) => [name, { value, from }])
      stdout.write(`${JSON.stringify(Object.fromEntries(rows))}\n`)
    } else {
      stdout.write(
        printTable(
          ['SETTING', 'VALUE', 'FROM'],
          all.map(({ name, value, origin }) => [name, value, origin]),
        ),
      )
    }
    return EXIT.ok
  },
}

export const openApiCommand: Command = {
  name: 'openapi',
  summary: 'print the description of the API (OpenAPI 3.1), as the service gives it at /api/v1/openapi.json',
  options: [{ flag: '--model', value: 'NAME', meaning: 'describe the API for clients of this model, for generators of typed clients' }],
  settings: [],
  examples: ['dateline openapi > openapi.json', 'dateline openapi --model headline > headline.json'],
  async run({ options }, { stdout }) {
    const model = readModelOption(options.get('--model'))
    stdout.write(`${JSON.stringify(openApiFor({ version: VERSION, model }), null, 2)}\n`)
    return EXIT.ok
  },
}

export const versionCommand: Command = {
  name: 'version',
  summary: 'print the version',
  options: [
    { flag: '--json', meaning: 'print one JSON object, with the commit, the schema of the database and the versions inside' },
  ],
  settings: [],
  examples: ['dateline version', 'dateline version --json'],
  run: async ({ options }, { stdout }) => {
    const { node, sqlite, openssl, v8 } = process.versions
    const { platform, arch } = process
    const about = { version: VERSION, commit: COMMIT, schema: SCHEMA, node, sqlite, openssl, v8, platform, arch }
    stdout.write(options.has('--json') ? `${JSON.stringify(about)}\n` : `dateline ${VERSION}\n`)
    return EXIT.ok
  },
}
