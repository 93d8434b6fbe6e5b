/** Tokens of the API: which there are, a new one, and the end of one. */
import { modelNamed } from '../../../models/registry.ts'
import type { ApiTokens } from '../../../models/responses.ts'
import { modelsTitle, valueTitle } from '../../model-titles.ts'
import { t } from '../../texts.ts'
import { ask } from '../../kit/dialog.ts'
import { button, h, type Child } from '../../kit/dom.ts'
import { icon } from '../../kit/icons.ts'
import { ago, dateTime } from '../../kit/moments.ts'
import { notify } from '../../kit/notices.ts'
import { readInto } from '../../kit/read-into.ts'
import { emptyState } from '../../kit/states.ts'
import { inRow, workButton } from '../../kit/work-button.ts'
import type { OpenPart } from './part.ts'
import { recordsTable } from './records-table.ts'
import { openTokenForm } from './token-form.ts'

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
