/** Tokens of the API, for administrators: which there are, a new one, whose text is shown once, and the end of one. */
import {
  makeApiToken,
  readTokenRequest,
  shownToken,
  TOKEN_DAYS_DEFAULT,
  TOKEN_DAYS_MAX,
  TOKEN_MODELS,
  TOKEN_NAME_CHARS_MAX,
} from '../auth/token-requests.ts'
import { describe, fail } from '../base/failure.ts'
import { orNull } from '../base/json-schema.ts'
import { didYouMean } from '../base/nearest.ts'
import { requireAdministrator, requireSignIn } from '../content/rules/access.ts'
import { TOKEN_METHODS, TOKEN_SCOPES } from '../models/caller.ts'
import { apiTokens, newApiToken } from '../models/responses.ts'
import { DASHBOARD_ROLES } from '../models/user.ts'
import { endpointOn, type NamedSchema } from './endpoint.ts'
import type { Service } from './service-parts.ts'

const BODY: NamedSchema = {
  kind: 'schema',
  name: 'MakeApiToken',
  schema: {
    type: 'object',
    properties: {
      name: { type: 'string', minLength: 1, maxLength: TOKEN_NAME_CHARS_MAX, description: 'What it is for', examples: ['nightly import'] },
      role: orNull({ type: 'string', enum: DASHBOARD_ROLES, description: 'The role that it has at most; `none` without it' }),
      models: {
        type: ['array', 'null'],
        items: { type: 'string', enum: TOKEN_MODELS },
        minItems: 1,
        description: 'The only models that it reaches; all without it',
        examples: [['headline']],
      },
      methods: {
        type: ['array', 'null'],
        items: { type: 'string', enum: TOKEN_METHODS },
        minItems: 1,
        description: 'The only methods that it may use; all without it. `replace` stands for patches too',
        examples: [['read', 'create']],
      },
      scopes: {
        type: ['array', 'null'],
        items: { type: 'string', enum: TOKEN_SCOPES },
        minItems: 1,
        description:
          'What it is for alone, without role, models and methods: `metrics` reads metrics, `backups` lists and downloads backups, ' +
          'which hold everything. It works while the user is an administrator',
      },
      days: {
        type: ['integer', 'null'],
        minimum: 1,
        maximum: TOKEN_DAYS_MAX,
        description: `Days until it expires; ${TOKEN_DAYS_DEFAULT} without it`,
        examples: [TOKEN_DAYS_DEFAULT],
      },
    },
    required: ['name'],
    additionalProperties: false,
  },
}
const MEMBERS = Object.keys(BODY.schema['properties'] ?? {})

const endpoint = endpointOn<Service>('Administration')

export const API_TOKENS = [
  endpoint({
    route: 'GET /api/v1/admin/tokens',
    id: 'apiTokens',
    access: 'administrator',
    summary: 'List the tokens of the API, newest first',
    response: apiTokens,
    client: 'admin.apiTokens',
  }).handle(async ({ store }) => ({ items: store.accounts.apiTokens().map(shownToken) })),
  endpoint({
    route: 'POST /api/v1/admin/tokens',
    id: 'makeApiToken',
    access: 'administrator',
    summary: 'Make a token of the API, whose text only this response has',
    description:
      'It acts for you, with at most your roles of the moment. With `models` or `methods` it reaches the data endpoint only, with `scopes` only what these are for. ' +
      'A token cannot make tokens, sign in, end sessions, delete your account, or give a role in the dashboard.',
    body: BODY,
    status: 201,
    response: newApiToken,
    errors: ['invalidInput', 'conflict'],
    client: 'admin.makeApiToken',
  }).handle(async ({ store, newId, now }, exchange, { caller, claim, acting }) => {
    requireSignIn(caller)
    const body = await exchange.readJson({ isDoneWhenRead: true })
    // A limit under a mistyped name would be none.
    const other = Object.keys(body).find((member) => !MEMBERS.includes(member))
    if (other !== undefined) throw fail('invalidInput', `Cannot make a token with ${describe(other)}: expected ${MEMBERS.join(', ')}${didYouMean(other, MEMBERS)}`)
    const { name, role, models, methods, scopes, days } = body
    const wish = readTokenRequest({ name, role, models, methods, scopes, days })
    const writer = store.as(acting(requireAdministrator))
    const { record, token } = await makeApiToken(writer, { userId: claim.userId, wish, now: now(), newId })
    return { ...shownToken(record), token }
  }),
  endpoint({
    route: 'DELETE /api/v1/admin/tokens/:id',
    id: 'revokeApiToken',
    access: 'administrator',
    summary: 'Revoke a token of the API immediately',
    errors: ['notFound'],
    client: 'admin.revokeApiToken',
  }).handle(async ({ store }, { params }, { caller, acting }) => {
    requireSignIn(caller)
    const id = params['id'] ?? ''
    if (await store.as(acting(requireAdministrator)).revokeApiToken(id)) return
    throw fail('notFound', `There is no token ${describe(id)}`)
  }),
]
