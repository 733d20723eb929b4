// Made from crds/*.yaml by `node tools/crds/write-types.ts`: change the YAML, never this file.
import type { V1ObjectMeta } from '@kubernetes/client-node';

/** An OAuthProvider is an identity provider that people sign in with. A change that would leave somebody without a way to sign in is refused, as the condition Ready says, and what was accepted before goes on. */
export interface OAuthProviderObject {
  apiVersion: 'millrace.dev/v1alpha1';
  kind: 'OAuthProvider';
  metadata: V1ObjectMeta;
  /** How to talk to the provider. */
  spec: {
    /** Name for people, shown on the sign-in page. */
    displayName?: string;
    /** OIDC for OpenID Connect with discovery, OAuth2 for providers that have only the three URLs. It cannot be changed. */
    type: 'OIDC' | 'OAuth2';
    /** The identifier that the provider gave to this installation. */
    clientID: string;
    /** Where the client secret is. The gateways read one Secret of the installation, <release>-oauth, and <release>-oauth-api for providers that were made through the API. */
    clientSecretRef: {
      /** Name of the Secret, <release>-oauth. */
      name: string;
      /** Key whose value is the client secret. */
      key: string;
    };
    /** OIDC: the issuer, below which the discovery document is found. */
    issuerURL?: string;
    /** OAuth2: where people are sent to agree. */
    authURL?: string;
    /** OAuth2: where a code is exchanged for a token. */
    tokenURL?: string;
    /** OAuth2: where the user behind a token is described. */
    userInfoURL?: string;
    /** Scopes to ask for; absent means openid, profile and email for OIDC and none for OAuth2. */
    scopes?: string[];
    /** Claim or field that suggests a user name; it never links accounts. Absent means preferred_username. */
    usernameClaim?: string;
    /** Claim or field that lists somebody's groups, by which Teams give roles. Absent means that groups of this provider give nobody a role. */
    groupsClaim?: string;
    /** False takes the provider off the sign-in page. Absent means true. */
    enabled?: boolean;
  };
  /** What the operator made of the spec. Only the operator writes it. */
  status?: {
    /** The metadata.generation that this status speaks of. */
    observedGeneration?: number;
    /** Redirect address to register with the provider. */
    callbackURL?: string;
    /** Ready: the definition is accepted. SignIn: whether people can sign in with it. */
    conditions?: {
      /** Name of the condition. */
      type: string;
      /** True, False or Unknown. */
      status: 'True' | 'False' | 'Unknown';
      /** The metadata.generation that the condition speaks of. */
      observedGeneration?: number;
      /** When the status last changed. */
      lastTransitionTime: string;
      /** Why, in one CamelCase word. */
      reason: string;
      /** Why, in words. */
      message: string;
    }[];
  };
}

/** A Pipeline is a continuous-integration pipeline written in HCL. It belongs to the Team whose namespace it is in. Its resources are checked for new versions, and its jobs run as builds, one Pod each. */
export interface PipelineObject {
  apiVersion: 'millrace.dev/v1alpha1';
  kind: 'Pipeline';
  metadata: V1ObjectMeta;
  /** What to run. A definition with errors changes nothing: the condition Ready becomes False with reason InvalidConfig and lists every error by line and column, and the last good revision keeps running. */
  spec: {
    /** Name for people, shown instead of the object's name. */
    displayName?: string;
    /** The pipeline in HCL, at most 256 KiB. Texts over about 200 KiB need `kubectl apply --server-side`, because the client-side kind keeps a second copy in an annotation. */
    config?: string;
    /** Where the HCL text is kept, if not in this object. A change there is applied like a change here. */
    configFrom?: {
      /** One key of a ConfigMap in the Pipeline's namespace. */
      configMapKeyRef: {
        /** Name of the ConfigMap. */
        name: string;
        /** Key whose value is the HCL text. */
        key: string;
      };
    };
    /** Values of the pipeline's variables by name. They win over varsFrom and over the defaults in the HCL text. Anyone who may read this object reads them: secret values belong in a Secret named in varsFrom. */
    vars?: Record<string, string>;
    /** Further sources of variables; of two that hold the same name, the later one wins. */
    varsFrom?: {
      /** A ConfigMap in the Pipeline's namespace. */
      configMapRef?: {
        /** Name of the ConfigMap. */
        name: string;
      };
      /** A Secret in the Pipeline's namespace that carries the label millrace.dev/usable=true, by which its owner allows pipelines to use it. */
      secretRef?: {
        /** Name of the Secret. */
        name: string;
      };
    }[];
    /** True lets everybody see the pipeline without signing in, as the sanitized view and its pictures: names and states, no values and no logs. False takes that back. Absent means that it stays as it was, private at first. */
    public?: boolean;
    /** A paused pipeline is checked but not built, and what is found meanwhile triggers nothing later. When set, true or false, it wins over the API, which then refuses to pause or unpause; when absent, the API decides. */
    paused?: boolean;
    /** Resources that are held at one version: every get takes it, whatever is newer. A pin here wins over the API, which then refuses to pin or unpin that resource; when it is taken out of the list, the resource is unpinned. */
    pins?: {
      /** Name of the resource, `<type>.<name>`. */
      resource: string;
      /** Fields of the version, as many as tell it from others. Until a check has found such a version, no job that gets the resource is built. */
      version: Record<string, string>;
    }[];
  };
  /** What the operator made of the spec. Only the operator writes it. */
  status?: {
    /** The metadata.generation that this status speaks of. */
    observedGeneration?: number;
    /** Number of the revision that runs; it grows with each accepted change. */
    revision?: number;
    /** Whether the pipeline is paused now, by the manifest or through the API. */
    paused?: boolean;
    /** Number of jobs in the running revision. */
    jobCount?: number;
    /** Number of resources in the running revision. */
    resourceCount?: number;
    /** The build that ended last, as `<job> #<number> <outcome>`. */
    lastBuild?: string;
    /** The jobs of the running revision in the order of the file, at most 100 of them. */
    jobs?: {
      /** Name of the job. */
      name: string;
      /** Whether this job is paused. */
      paused?: boolean;
      /** The newest build of the job. */
      lastBuild?: {
        /** Number of the build within the job. */
        number: string;
        /** pending, waiting, started, succeeded, failed, cancelled or warning. */
        status: string;
        /** When it ended; absent while it runs. */
        endedAt?: string;
      };
    }[];
    /** Jobs that get no build and builds that do not start for a reason that does not pass by itself as usual, at most 20 of them. The API tells all reasons of all jobs. */
    waiting?: {
      /** Name of the job. */
      job: string;
      /** Number of the build that does not start; absent where the job gets no build. */
      build?: string;
      /** Why, in one CamelCase word of docs/reference/waiting.md. */
      reason: string;
      /** Why, in words. */
      message: string;
    }[];
    /** Resources whose last check failed, at most 20 of them. */
    failingChecks?: {
      /** Name of the resource, `<type>.<name>`. */
      resource: string;
      /** The error of the last check. */
      message: string;
    }[];
    /** What the last accepted change did to the pipeline. */
    lastPlan?: {
      /** Jobs that the change touched. */
      jobs?: {
        /** Names that came, at most 100. */
        added?: string[];
        /** Names whose definition changed, at most 100. */
        changed?: string[];
        /** Names that went, at most 100; their history is kept. */
        removed?: string[];
      };
      /** Resources that the change touched. */
      resources?: {
        /** Names that came, at most 100. */
        added?: string[];
        /** Names whose definition changed, at most 100. */
        changed?: string[];
        /** Names that went, at most 100; their history is kept. */
        removed?: string[];
      };
      /** Resources whose source changed, so that they have another history of versions now, with what changed; at most 100. */
      histories?: string[];
    };
    /** Ready: the definition is accepted and scheduled. LastBuildSucceeded: how the last build ended. TagsRefused: the Team does not let it use a tag, so that something gets no Pod. ChecksBlocked: a CronJob that is not Millrace's has the name of one of ours. VersionsTruncated: a check found more versions than one check may bring. ChecksStalled: a check is long overdue. HooksFailed: on_trigger hooks of the newest versions failed. QueueFull: so many builds have not started that new versions make none. Reconciling and Stalled are there only while they are true. */
    conditions?: {
      /** Name of the condition. */
      type: string;
      /** True, False or Unknown. */
      status: 'True' | 'False' | 'Unknown';
      /** The metadata.generation that the condition speaks of. */
      observedGeneration?: number;
      /** When the status last changed. */
      lastTransitionTime: string;
      /** Why, in one CamelCase word. */
      reason: string;
      /** Why, in words. */
      message: string;
    }[];
  };
}

/** A Team owns one namespace: every Pipeline in that namespace is the team's, and its checks and builds run there, fenced by RBAC, NetworkPolicies, Pod security and limits that the operator keeps in place. */
export interface TeamObject {
  apiVersion: 'millrace.dev/v1alpha1';
  kind: 'Team';
  metadata: V1ObjectMeta;
  /** What the team may use. An empty spec is a team with a namespace of its own name. */
  spec: {
    /** Name for people, shown instead of the object's name. */
    displayName?: string;
    /** Who is in the team. When set, it wins over the API, which then changes no member; when absent, the API decides. A member without an account is one as soon as an admin makes it. A change that would leave the team without an admin is refused. */
    members?: {
      /** Name of the account. */
      user: string;
      /** Each includes those before it. */
      role: 'read' | 'write' | 'maintain' | 'admin';
    }[];
    /** Roles that groups of identity providers give, beside those of members: whoever the provider counts to the group when they sign in has the role until it no longer does. Providers whose groupsClaim is set are asked. When set, it wins over the API. Groups that give no role are named by the condition GroupsIgnored. */
    groups?: {
      /** Name of the group, as the provider tells it. */
      claim: string;
      /** Name of the OAuthProvider whose group it is. Where several enabled providers have groupsClaim, it is required: a group without it gives no role until then. */
      provider?: string;
      /** Each includes those before it. */
      role: 'read' | 'write' | 'maintain' | 'admin';
    }[];
    /** The team's namespace; absent means the team's name. It is created if it does not exist, and one that exists is adopted only if it carries the label millrace.dev/team=<name of the team>. It cannot be changed, and it is never deleted with the team. */
    namespace?: string;
    /** The Pod security standard that the namespace enforces. baseline, which is also what absent means, lets images of docker steps run as the user they name, root included, with the few capabilities that package managers need. restricted runs every container as an unprivileged user. */
    podSecurity?: 'baseline' | 'restricted';
    /** What the source of a type in the team's pipelines may be. */
    sources?: {
      /** http:// is allowed beside https://. */
      allowHTTP?: boolean;
      /** Hosts that definitions may be fetched from, as host or host:port; absent means any with a public address. */
      allowedHosts?: string[];
    };
    /** What every check and build Pod of the team gets. */
    defaults?: {
      /** Image for exec and shell steps instead of Millrace's own. It must be built from the millrace image, because it carries the program that runs steps. */
      image?: string;
      /** Secrets of the team's namespace with which the node pulls images. */
      imagePullSecrets?: {
        /** Name of the Secret. */
        name: string;
      }[];
      /** What the steps of one Pod ask for and may use. Steps run one after another, so requests are counted once for the Pod; limits hold for each container. */
      resources?: {
        /** Amounts by resource, as in a Pod, for example cpu=500m and memory=512Mi. */
        requests?: Record<string, number | string>;
        /** Amounts by resource, as in a Pod, for example memory=2Gi. */
        limits?: Record<string, number | string>;
      };
    };
    /** Tags that the team's pipelines may use; absent means any, an empty list means none. What has another tag gets no Pod: the Pipeline says so in its condition TagsRefused, the build in why it waits, the check in its error. */
    allowedTags?: string[];
    /** What a tag of a job or a resource means for the Pods of the team. A tag without an entry selects nodes labelled millrace.dev/tag-<tag>=true. Of several tags all hold together. A change counts from the next Pod on. */
    workers?: {
      /** The tag, as pipelines name it. */
      tag: string;
      /** Labels that the node must have; absent means millrace.dev/tag-<tag>=true, and {} means any node. A label below node-restriction.kubernetes.io/ cannot be forged by a node. */
      nodeSelector?: Record<string, string>;
      /** Taints of nodes that the Pods bear, as in a Pod. */
      tolerations?: {
        /** Key of the taint; absent means every taint. */
        key?: string;
        /** Whether the taint's value counts; absent means Equal. */
        operator?: 'Exists' | 'Equal';
        /** Value of the taint. */
        value?: string;
        /** Effect of the taint; absent means each of the three. */
        effect?: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
        /** How long a taint with the effect NoExecute is borne; absent means for ever. */
        tolerationSeconds?: number;
      }[];
      /** What the steps of one Pod ask for and may use, in place of the same resources in spec.defaults; of two tags that name one, the later entry counts. Devices, such as nvidia.com/gpu, go to each container of another image than Millrace's own, and to the one step container where there is none. */
      resources?: {
        /** Amounts by resource, as in a Pod, for example cpu=4 and memory=8Gi. */
        requests?: Record<string, number | string>;
        /** Amounts by resource, as in a Pod, for example memory=16Gi and nvidia.com/gpu=1. */
        limits?: Record<string, number | string>;
      };
      /** RuntimeClass of the Pods, for example nvidia or gvisor. */
      runtimeClassName?: string;
    }[];
    /** How much of the cluster the team may use at a time. What exceeds it waits, and says so. */
    limits?: {
      /** Builds that run at a time. Absent means the installation's default (value defaults.limits.runningBuilds of the chart, 20 unless changed). */
      runningBuilds?: number;
      /** Check Pods that run at a time. Absent means the installation's default (value defaults.limits.runningChecks of the chart, 5 unless changed). Those that CronJobs make count but do not wait. All teams together have at most 10 that the operator starts, and one more for each team that has none. */
      runningChecks?: number;
      /** Pipelines of the team. Absent means the installation's default (value defaults.limits.pipelines of the chart, 500 unless changed). One more says TooManyPipelines and does not run until another one is deleted. */
      pipelines?: number;
      /** What the logs of all builds of the team may take in the database, compressed. Absent means the installation's default (value defaults.limits.logBytes of the chart, 1Gi unless changed). Beyond it the logs of the team's oldest builds are removed; the builds stay. From 80 % on the condition LogsNearLimit says so. */
      logBytes?: string;
      /** Sum of the requests of all Pods in the namespace by resource, enforced by a ResourceQuota, for example cpu=8 and memory=16Gi. Once it names a resource, every Pod must ask for some of it, so spec.defaults.resources.requests has to name it too. */
      requests?: Record<string, number | string>;
    };
    /** How much history the team keeps. A build goes, with its log, once it is beyond any of these limits; what a pin, a running build or passed of a downstream job still needs stays, without its log. Versions that no kept build used go after the days. */
    retention?: {
      /** Newest builds of each job; absent means 500. */
      builds?: number;
      /** Days after a build has ended; absent means 365. */
      days?: number;
      /** Newest good builds of each job that stay however old they are; absent means 1. */
      minimumSucceeded?: number;
    };
    /** What Pods of the team may reach beyond the rules that always hold: no one reaches them, and they reach DNS, the agents' gateway and every address but those of cloud metadata services. */
    network?: {
      /** Address ranges that the Pods may not reach, for example 10.0.0.0/8. */
      denyCIDRs?: string[];
    };
  };
  /** What the operator made of the spec. Only the operator writes it. */
  status?: {
    /** The metadata.generation that this status speaks of. */
    observedGeneration?: number;
    /** The team's namespace. */
    namespace?: string;
    /** The limits that hold for the team, its own or the installation's; a limit that is absent does not exist. */
    limits?: {
      /** Builds that run at a time. */
      runningBuilds?: number;
      /** Check Pods that run at a time. */
      runningChecks?: number;
      /** Pipelines of the team. */
      pipelines?: number;
      /** What the logs of the team may take. */
      logBytes?: string;
    };
    /** Number of Pipelines in the namespace. */
    pipelineCount?: number;
    /** The name for people now, said by the manifest or through the API. */
    displayName?: string;
    /** Number of members. */
    memberCount?: number;
    /** Who is in the team now, at most 200 of them. */
    members?: {
      /** Name of the account. */
      user: string;
      /** What they may. */
      role: 'read' | 'write' | 'maintain' | 'admin';
    }[];
    /** Roles that groups of identity providers give now, at most 200 of them. */
    groups?: {
      /** Name of the group. */
      claim: string;
      /** Name of the OAuthProvider whose group it is. */
      provider?: string;
      /** What whoever is in it may. */
      role: 'read' | 'write' | 'maintain' | 'admin';
    }[];
    /** Ready: the namespace is set up. GroupsIgnored, LogsNearLimit, Reconciling and Stalled are there only while they are true; a Team that waits for its last Pipelines before it goes says so in Ready. */
    conditions?: {
      /** Name of the condition. */
      type: string;
      /** True, False or Unknown. */
      status: 'True' | 'False' | 'Unknown';
      /** The metadata.generation that the condition speaks of. */
      observedGeneration?: number;
      /** When the status last changed. */
      lastTransitionTime: string;
      /** Why, in one CamelCase word. */
      reason: string;
      /** Why, in words. */
      message: string;
    }[];
  };
}
