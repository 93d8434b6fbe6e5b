/** The records of the audit trail as a table: who did what, and the links from there. */
import { DELETED_ACTOR, type AuditEvent } from '../../../models/audit.ts'
import type { AuditRecords } from '../../../models/responses.ts'
import { feed } from '../../../models/feed-model.ts'
import { remoteConfig } from '../../../models/remote-config.ts'
import type { Model } from '../../../models/schema.ts'
import { user as userModel } from '../../../models/user.ts'
import { nameOf } from '../list/document-names.ts'
import { humanized, modelTitle, pathOf, valueTitle } from '../../model-titles.ts'
import { hrefTo } from '../../screen-url.ts'
import { t, textOr } from '../../texts.ts'
import { h, type Child } from '../../kit/dom.ts'
import { code } from '../../kit/elements.ts'
import { icon } from '../../kit/icons.ts'
import { exactTime } from '../../kit/moments.ts'
import { auditHref, type AuditSearch } from './audit-search.ts'
import { recordsTable } from '../../kit/table/records-table.ts'

export type AuditItem = AuditRecords['items'][number]

const ID_CHARS_SHOWN = 6

export function eventTitle(event: AuditEvent): string {
  return textOr(`event.${event}`, humanized(event))
}

/** The documents of a model whose names are to be fetched before a record is shown. */
export function namedIds(item: AuditItem, of: Model): readonly string[] {
  const { actor, model, documentId } = item
  const ids = [model === of.name ? documentId : '', of === actorModel(item) ? actor : '']
  return ids.filter((id) => id !== '' && !isDeleted(id))
}

export function auditTable(items: readonly AuditItem[], search: AuditSearch, models: readonly Model[]): HTMLElement {
  return recordsTable(
    t('operations.audit'),
    [
      { title: t('audit.time'), cell: ({ time }) => exactTime(time) },
      { title: t('audit.event'), cell: ({ event }) => eventTitle(event) },
      { title: t('audit.who'), cell: (item) => whoCell(item, search) },
      { title: t('audit.from'), cell: ({ clientAddress }) => addressCell(clientAddress) },
      { title: t('audit.what'), cell: (item) => whatCell(item, search, models) },
    ],
    items,
  )
}

function addressCell(clientAddress: string): Child {
  return clientAddress === '' ? '–' : h('code', { class: 'audit-address', dir: 'ltr' }, clientAddress)
}

/** Feeds act, too: their actor is the id of the feed. */
function actorModel({ role }: AuditItem): Model {
  return role === 'feed' ? feed : userModel
}

function whoCell(item: AuditItem, search: AuditSearch): Child {
  const { actor, role } = item
  const roleName = textOr(`actor.${role}`, valueTitle(role))
  if (actor === '') return h('span', {}, roleName)
  const model = actorModel(item)
  const href = nameOf(model, actor) === undefined ? undefined : hrefTo([pathOf(model), actor])
  return [named(labelFor(model, actor), href, { ...search, actor }), when(roleName)]
}

function whatCell(item: AuditItem, search: AuditSearch, models: readonly Model[]): Child {
  const { changes, details } = item
  return [
    targetOf(item, search, models),
    changes.map(({ path, from, to }) => when(code(path), ' ', h('bdi', {}, from), ' → ', h('bdi', {}, to))),
    details.length === 0
      ? null
      : when(details.map(({ name, value }, i) => [i > 0 && ', ', code(name), value !== '' && [' ', h('bdi', {}, value)]])),
  ]
}

function targetOf({ event, model, documentId }: AuditItem, search: AuditSearch, models: readonly Model[]): Child {
  if (model === '' || documentId === '') return null
  const declared = models.find(({ name }) => name === model)
  const title = textOr(`model.${model}`, declared === undefined ? humanized(model) : modelTitle(declared))
  const name = declared === undefined ? undefined : nameOf(declared, documentId)
  const label = labelFor(declared ?? userModel, documentId)
  // Names are fetched before: a document without one was deleted later.
  const isGone =
    isDeleted(documentId) ||
    event === 'document.deleted' ||
    event === 'user.deleted' ||
    (declared !== undefined && name === undefined)
  const href = isGone ? undefined : hrefOf(model, documentId, declared)
  return [h('span', { class: 'soft' }, title), ' ', named(label, href, { ...search, document: documentId })]
}

function hrefOf(model: string, id: string, declared: Model | undefined): string | undefined {
  if (model === userModel.name) return hrefTo(['users', id])
  if (model === remoteConfig.name) return hrefTo(['configuration'])
  return declared === undefined ? undefined : hrefTo([pathOf(declared), id])
}

/** A name that leads to what it names, and beside it a way to see its records alone. */
function named(label: string, href: string | undefined, only: AuditSearch): Child {
  const name = h('bdi', {}, label)
  return h(
    'span',
    { class: 'audit-name' },
    href === undefined ? name : h('a', { href }, name),
    h('a', { class: 'icon-link', href: auditHref(only), 'aria-label': t('audit.only', { name: label }) }, icon('filter')),
  )
}

function labelFor(model: Model, id: string): string {
  if (isDeleted(id)) return t('audit.deletedAccount', { id: id.slice(-ID_CHARS_SHOWN) })
  return nameOf(model, id) ?? id
}

function isDeleted(id: string): boolean {
  return id.startsWith(DELETED_ACTOR)
}

function when(...children: readonly Child[]): HTMLElement {
  return h('span', { class: 'when' }, children)
}
