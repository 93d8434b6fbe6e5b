/** The types of the client, made of the declarations of the models; scripts/client.ts prints them in full. */
import type { MODELS } from '../models/registry.ts'
import type {
  Access,
  ConstantField,
  DocumentOf,
  EmbeddedField,
  Field,
  GeneratedField,
  ListField,
  MapField,
  NullableField,
  OptionalField,
  RecordField,
  Shape,
  ValueOf,
} from '../models/schema.ts'

type Declared = (typeof MODELS)[number]

export type ModelName = Declared['name']

/** The documents of each model, as the service sends them. */
export type Models = { readonly [D in Declared as D['name']]: DocumentOf<D> }

/** What creates a document of each model: without what the server sets, with references in place of copies. */
export type Bodies = { readonly [D in Declared as D['name']]: SentShape<D['fields']> }

/** What replaces a document. A default is for new documents only: here such a member must be there. */
export type Replacements = {
  readonly [D in Declared as D['name']]: SentShape<D['fields']> & Initials<D['fields']>
}

/** The methods that make sense for each model. */
export type Offers = { readonly [D in Declared as D['name']]: Offered<D['access']> | Reviewed<D['fields']> }

/** Stands in a body for a whole copy; the stored document takes its place. */
export interface Reference {
  readonly id: string
}

type Reviewed<S extends Shape> = S extends { readonly handedInAt: OptionalField } ? 'review' | 'giveBack' : never

type Offered<A extends Access> =
  | (A['list'] extends 'unsupported' ? never : 'list' | 'iterate' | 'counts' | 'explain')
  | (A['read'] extends 'unsupported' ? never : 'get')
  | (A['create'] extends 'unsupported' ? never : 'create' | 'check')
  | (A['replace'] extends 'unsupported' ? never : 'replace' | 'patch' | 'check')
  | (A['remove'] extends 'unsupported' ? never : 'remove')
  | (A['read'] extends 'everybody' ? PastOf<A> : never)

/** Of content, which everybody may read; personal data has no history and no trash, and nothing embeds it. */
type PastOf<A extends Access> = A['replace'] extends 'unsupported'
  ? never
  : 'history' | 'version' | 'trash' | 'restore' | 'eraseTrashed' | 'usage' | 'usageOfMany' | 'duplicates'

/** Fields that a client never has to send. */
type LeftOut = GeneratedField | ConstantField
/** Fields that have a value of their own where a new document leaves them out. */
type Defaulted = { readonly initial: string } | { readonly implied: string | boolean } | NullableField | OptionalField | ListField<Field, 'keep'>

type SentShape<S extends Shape> = {
  readonly [name in keyof S as S[name] extends LeftOut | Defaulted ? never : name]: SentOf<S[name]>
} & {
  readonly [name in keyof S as S[name] extends Defaulted ? name : never]?: SentOf<S[name]>
}

type Initials<S extends Shape> = {
  readonly [name in keyof S as S[name] extends { readonly initial: string } ? name : never]: SentOf<S[name]>
}

type SentOf<F extends Field> =
  F extends OptionalField
    ? string | null
    : F extends NullableField<infer G>
    ? SentOf<G> | null
    : F extends ListField<infer G>
      ? readonly SentOf<G>[]
      : F extends RecordField<infer S>
        ? SentShape<S>
        : F extends MapField<infer K, infer G>
          ? { readonly [key in K]?: SentOf<G> }
          : F extends EmbeddedField<infer M>
            ? DocumentOf<M> | Reference
            : ValueOf<F>
