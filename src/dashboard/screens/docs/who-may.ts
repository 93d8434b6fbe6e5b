/** Who may do what an operation does, for each model: models with the same answer stand together. */
import type { ApiOperation } from './api-document.ts'
import type { DescribedModel } from './described-models.ts'

/** Which access of a model an operation asks for, by operationId. */
const ASKED: Readonly<Record<string, string>> = {
  list: 'list',
  query: 'list',
  read: 'read',
  create: 'create',
  check: 'create',
  replace: 'replace',
  remove: 'remove',
}
/** The same in one long sentence, which the description has for those who read it without a table. */
const SENTENCE = /\s*Who may: [^]*\.$/

export interface Grantees {
  readonly who: string
  readonly models: readonly string[]
}

/** Empty where the operation is not about models. */
export function whoMay({ id }: Pick<ApiOperation, 'id'>, models: readonly DescribedModel[]): readonly Grantees[] {
  const asked = Object.hasOwn(ASKED, id) ? ASKED[id] : undefined
  if (asked === undefined) return []
  const granted = models.flatMap(({ name, access }) => {
    const who = access.find(({ operation }) => operation === asked)?.who
    return who === undefined || who === '' ? [] : [{ name, who }]
  })
  return [...Map.groupBy(granted, ({ who }) => who)].map(([who, of]) => ({ who, models: of.map(({ name }) => name) }))
}

export function withoutWhoMay(about: string): string {
  return about.replace(SENTENCE, '')
}
