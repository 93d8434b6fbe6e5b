/** Lists of the dashboard that a user has named, for that user alone and on any device. */
import { describe, fail, type Failure } from '../base/failure.ts'
import type { JsonObject } from '../base/json.ts'
import { readShownName } from '../base/shown-name.ts'
import { requireEditor, requireSignIn } from '../content/rules/access.ts'
import type { Caller } from '../models/caller.ts'
import { savedView, savedViews, type SavedView } from '../models/responses.ts'
import { VIEWS_MAX, type SavedView as StoredView } from '../store/accounts/saved-view-table.ts'
import { endpointOn, type NamedSchema, SHORT_BODY } from './endpoint.ts'
import type { Service } from './service-parts.ts'
import { WRITABLE_MODELS } from './parameters.ts'

const NAME_CHARS_MAX = 80
const QUERY_CHARS_MAX = 2_000
const VIEW_BODY: NamedSchema = {
  kind: 'schema',
  name: 'SaveView',
  schema: {
    type: 'object',
    properties: {
      name: { type: 'string', minLength: 1, maxLength: NAME_CHARS_MAX, description: 'What you know it by', examples: ['Drafts of this week'] },
      model: { type: 'string', enum: WRITABLE_MODELS, description: 'Whose list it is' },
      query: {
        type: 'string',
        maxLength: QUERY_CHARS_MAX,
        description: 'The query of the URL of the list: search, filters, tab, sort and columns',
        examples: ['status=draft&updatedAt=week'],
      },
    },
    required: ['name', 'model', 'query'],
  },
}

const endpoint = endpointOn<Service>('Dashboard')
const WHO = 'publishers and administrators, for themselves'

export const SAVED_VIEWS = [
  endpoint({
    route: 'GET /api/v1/dashboard/views',
    id: 'views',
    access: 'editor',
    whoMay: WHO,
    summary: 'List your saved views, by their names',
    response: savedViews,
    client: 'dashboard.views',
  }).handle(async ({ store }, _exchange, { caller }) => ({ items: store.accounts.viewsOf(caller.id).map(shown) })),
  endpoint({
    route: 'POST /api/v1/dashboard/views',
    id: 'addView',
    access: 'editor',
    whoMay: WHO,
    summary: 'Save a list of the dashboard under a name',
    description: `At most ${VIEWS_MAX} for a user.`,
    body: VIEW_BODY,
    bodyLimit: SHORT_BODY,
    status: 201,
    response: savedView,
    errors: ['invalidInput', 'conflict'],
    client: 'dashboard.addView',
  }).handle(async ({ store, newId }, exchange, { caller, acting }) => {
    const view = { ...readView(await exchange.readJson()), id: newId(), userId: caller.id }
    const saved = await store.as(acting(requireKeeper)).addView(view)
    if (saved === 'saved') return shown(view)
    throw saved === 'missing' ? notFound(caller.id) : fail('conflict', `Cannot save a view: you have ${VIEWS_MAX}, which are as many as a user may have: delete one first`)
  }),
  endpoint({
    route: 'PUT /api/v1/dashboard/views/:view',
    id: 'replaceView',
    access: 'editor',
    whoMay: WHO,
    summary: 'Rename or change one of your saved views',
    body: VIEW_BODY,
    bodyLimit: SHORT_BODY,
    response: savedView,
    errors: ['invalidInput', 'notFound'],
    client: 'dashboard.replaceView',
  }).handle(async ({ store }, exchange, { caller, acting }) => {
    const view = { ...readView(await exchange.readJson()), id: exchange.params['view'] ?? '', userId: caller.id }
    if ((await store.as(acting(requireKeeper)).replaceView(view)) === 'missing') throw notFound(view.id)
    return shown(view)
  }),
  endpoint({
    route: 'DELETE /api/v1/dashboard/views/:view',
    id: 'removeView',
    access: 'editor',
    whoMay: WHO,
    summary: 'Delete one of your saved views',
    errors: ['notFound'],
    client: 'dashboard.removeView',
  }).handle(async ({ store }, { params }, { caller, acting }) => {
    const id = params['view'] ?? ''
    if (!(await store.as(acting(requireKeeper)).removeView(caller.id, id))) throw notFound(id)
  }),
]

/** A token may be for some models or for reading alone: what a user keeps for the own dashboard is not for it. */
function requireKeeper(caller: Caller): void {
  requireEditor(caller)
  requireSignIn(caller)
}

function notFound(id: string): Failure {
  return fail('notFound', `You have no view ${describe(id)}`)
}

function shown({ id, name, model, query }: StoredView): SavedView {
  return { id, name, model, query }
}

function readView({ name: given, model, query }: JsonObject): Pick<StoredView, 'name' | 'model' | 'query'> {
  const name = readShownName(given, NAME_CHARS_MAX)
  const known = WRITABLE_MODELS.find((one) => one === model)
  if (known === undefined) throw fail('invalidInput', `model: expected one of ${WRITABLE_MODELS.join(', ')}, found ${describe(model)}`)
  if (typeof query !== 'string' || query.length > QUERY_CHARS_MAX || /\p{Cc}/u.test(query)) {
    throw fail('invalidInput', `query: expected a text of at most ${QUERY_CHARS_MAX} characters, found ${describe(query)}`)
  }
  return { name, model: known, query }
}
