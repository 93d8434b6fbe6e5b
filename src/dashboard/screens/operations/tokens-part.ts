/** Tokens of the API: which there are, a new one, whose text is shown once, and the end of one. */
import { modelNamed, MODELS } from '../../../models/registry.ts'
import type { ApiTokens, NewApiToken } from '../../../models/responses.ts'
import type { Client } from '../../../client/client.ts'
import { TOKEN_METHODS, TOKEN_SCOPES } from '../../../models/caller.ts'
import type { Model } from '../../../models/schema.ts'
import { DASHBOARD_ROLES } from '../../../models/user.ts'
import { modelsTitle, valueTitle } from '../../model-titles.ts'
import { t, textOr } from '../../texts.ts'
import { ask } from '../../kit/dialog.ts'
import { button, type Child, h } from '../../kit/dom.ts'
import { icon } from '../../kit/icons.ts'
import { ago, dateTime } from '../../kit/moments.ts'
import { notify } from '../../kit/notices.ts'
import { readInto } from '../../kit/read-into.ts'
import { emptyState, errorText } from '../../kit/states.ts'
import { inRow, workButton } from '../../kit/work-button.ts'
import { choiceAmong, labelled, problemLine } from '../../kit/elements.ts'
import { openFormDialog } from '../../kit/form-dialog.ts'
import { tickList } from '../../kit/form/tick-list.ts'
import { showSecret } from '../../kit/secret-dialog.ts'
import type { OpenPart } from './part.ts'
import { recordsTable } from '../../kit/table/records-table.ts'

const DAYS = [7, 30, 90, 365] as const
/** Those with lists in the dashboard. */
const CHOSEN = MODELS.filter((model: Model) => model.computed === undefined && model.owned !== true && model.singleton === undefined)

type TokenBody = Parameters<Client['admin']['makeApiToken']>[0]
type Limits = Required<TokenBody>
type Token = ApiTokens['items'][number]

export const tokensPart: OpenPart = (context) => {
  const { client, signal } = context
  const content = h('div', { class: 'part' })
  const { load } = readInto(context, {
    element: content,
    lines: 6,
    read: (options) => client.admin.apiTokens(options),
    show: ({ items }) => (items.length === 0 ? emptyState('docs', t('tokens.empty'), h('p', {}, t('tokens.about'))) : tokenTable(items, revoke)),
  })
  const make = button([icon('plus'), t('tokens.make')], openForm, { class: 'primary' })
  return { element: h('div', { class: 'part' }, h('div', { class: 'part-tools' }, make), content) }

  function openForm(): void {
    openTokenForm(async (body) => {
      const made = await client.admin.makeApiToken(body, { signal })
      load()
      return made
    })
  }

  async function revoke({ id, name }: Token): Promise<void> {
    const title = t('tokens.revoke')
    if (!(await ask({ title, text: t('tokens.revokeAbout', { name }), confirm: title, isDangerous: true }))) return
    await client.admin.revokeApiToken(id, { signal }).finally(load)
    notify(t('tokens.revoked', { name }), { kind: 'done' })
  }
}

function tokenTable(items: readonly Token[], revoke: (token: Token) => Promise<void>): HTMLElement {
  const label = t('tokens.revoke')
  return recordsTable(
    t('operations.tokens'),
    [
      { title: t('field.name'), cell: ({ name }) => h('bdi', {}, name) },
      { title: t('tokens.reach'), cell: reach },
      { title: t('tokens.expires'), cell: ({ expiresAt }) => dateTime(expiresAt) },
      { title: t('tokens.used'), cell: ({ usedAt }) => (usedAt === null ? t('tokens.never') : ago(usedAt)) },
      {
        title: label,
        kind: 'actions',
        cell: (token) => workButton(label, () => revoke(token), { class: 'small', ...inRow(label, { id: token.id, title: token.name }) }),
      },
    ],
    items,
  )
}

function reach({ role, models, methods, scopes }: Token): Child {
  if (scopes !== null) return scopes.map((scope) => t(`tokens.${scope}`)).join(', ')
  const parts = [
    t('pair', { name: t('tokens.role'), value: valueTitle(role) }),
    ...(models === null ? [] : [models.map(titleOf).join(', ')]),
    ...(methods === null ? [] : [methods.map((method) => t(`tokens.${method}`)).join(', ')]),
  ]
  return parts.join(' · ')
}

function titleOf(name: string): string {
  const model = modelNamed(name)
  return model === undefined ? name : modelsTitle(model)
}

/** `make` has the token made; its text is shown then. */
function openTokenForm(make: (body: TokenBody) => Promise<NewApiToken>): void {
  const problem = problemLine('token-problem')
  const name = h('input', { name: 'name', autofocus: true, required: true, maxlength: 100, autocomplete: 'off', 'aria-describedby': problem.id })
  const role = choiceAmong(DASHBOARD_ROLES, valueTitle, { name: 'role', value: 'none' })
  const days = choiceAmong(DAYS, (count) => t('tokens.days', { count }), { name: 'days', value: '90' })
  const ignored = (): void => {}
  const wordOf = (value: string): string => textOr(`tokens.${value}`, value)
  const models = tickList({ path: 'models', label: t('tokens.models'), onChange: ignored }, CHOSEN.map((model) => model.name), titleOf)
  const methods = tickList({ path: 'methods', label: t('tokens.methods'), onChange: ignored }, TOKEN_METHODS, wordOf)
  const scopes = tickList({ path: 'scopes', label: t('tokens.scopes'), onChange: () => void (rest.hidden = scopes.value().length > 0) }, TOKEN_SCOPES, wordOf)
  // A token with scopes reaches nothing else.
  const rest = h('div', { class: 'form' }, labelled(t('tokens.role'), role), h('p', { class: 'field-about' }, t('tokens.narrow')), models.element, methods.element)
  const fields = [labelled(t('field.name'), name), problem, labelled(t('tokens.expires'), days), scopes.element, rest]
  const { close } = openFormDialog({ title: t('tokens.make'), confirm: t('tokens.make'), fields, problem, send, wordsOf: tell })

  async function send(): Promise<void> {
    const [chosenScopes, chosenModels, chosenMethods] = [scopes.value(), models.value(), methods.value()]
    const limits = {
      role: role.value as Limits['role'],
      ...(chosenModels.length === 0 ? {} : { models: chosenModels as Limits['models'] }),
      ...(chosenMethods.length === 0 ? {} : { methods: chosenMethods as Limits['methods'] }),
    }
    const made = await make({
      ...{ name: name.value.trim(), days: Number(days.value) },
      ...(chosenScopes.length === 0 ? limits : { scopes: chosenScopes as Limits['scopes'] }),
    })
    close()
    showToken(made)
  }

  function tell(error: unknown): string {
    name.focus()
    return errorText(error)
  }
}

function showToken({ name, token, scopes, expiresAt }: NewApiToken): void {
  const path = scopes === null ? '/api/v1/data?model=headline' : scopes.includes('metrics') ? '/metrics' : '/api/v1/admin/backups'
  const example = `curl -H "Authorization: Bearer ${token}" "${location.origin}${path}"`
  const expiry = h('p', { class: 'soft' }, t('tokens.expires'), ' ', dateTime(expiresAt))
  showSecret(t('tokens.ready', { name }), t('tokens.once'), token, expiry, h('pre', { dir: 'ltr', tabindex: 0 }, example))
}
